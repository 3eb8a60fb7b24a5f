/** `parallel`, `spawn`, `select`, `deadline`, `mutex` (language.md §13): lowered to calls of the scheduler. */
import {
  cancelHandle,
  type Frame,
  locatedFrame,
  parallelStream,
  type Run,
  runParallel,
  type ScriptClosure,
  type SelectChoice,
  select,
  spawnTask,
  type Task,
  type TaskHandle,
  TaskLocal,
  unwound,
  withDeadline,
  withMutex,
} from "../../interp/index.ts";
import type { CostRoute, Deadline, Mutex, Parallel, Scope, Select, Spawn } from "../../syntax/index.ts";
import { always, type MaybePromise, ScriptError, toKey, type Value } from "../../values/index.ts";
import { operand, withAll, withOne } from "../expressions/operand.ts";
import { makeClosure } from "../names.ts";
import { type Ctx, type Ex, ex, type ResultMode, type St, st } from "../node.ts";
import { store } from "../places/stores.ts";
import { lowerBlock } from "./control.ts";

/** Runs something of the scheduler with the position set, for messages about waits and for what it raises. */
function scheduled(ctx: Ctx, node: Parallel | Spawn | Select | Deadline | Mutex) {
  const site = ctx.site(node);
  const caller = ctx.traceName;
  return (f: Frame, action: (task: Task) => unknown): unknown => {
    const task = f[0] as Task;
    task.depth = f[1];
    task.site = site;
    try {
      const result = action(task);
      if (!(result instanceof Promise)) return result;
      return result.catch((error) => {
        throw unwound(error, site, caller);
      });
    } catch (error) {
      throw unwound(error, site, caller);
    }
  };
}

export function lowerParallel(ctx: Ctx, node: Parallel): Ex {
  const make = makeClosure(ctx, ctx.module.fnByNode.get(node.body)!);
  const subject = operand(ctx, node.subject);
  const max = node.maxConcurrent === undefined ? undefined : operand(ctx, node.maxConcurrent);
  const run = scheduled(ctx, node);
  const all = max === undefined ? [subject] : [subject, max];
  const { mode, asStream } = node;
  return withAll(
    all,
    (f, [over, limit]) =>
      run(f, (task) => {
        const body = make(f) as ScriptClosure;
        if (asStream) return parallelStream(task, over as Value, body, limit);
        return runParallel(task, mode, over as Value, body, limit);
      }),
    true,
  );
}

export function lowerSpawn(ctx: Ctx, node: Spawn): Ex {
  const make = makeClosure(ctx, ctx.module.fnByNode.get(node.body)!);
  const run = scheduled(ctx, node);
  return ex((f) =>
    run(f, (task) => {
      const handle = spawnTask(task, make(f) as ScriptClosure);
      handle.site = task.site;
      openScopes.own(task).at(-1)?.push(handle);
      return handle;
    }),
  );
}

/** The tasks spawned in the open `scope { … }` blocks of a task. */
const openScopes = new TaskLocal<TaskHandle[]>("scope blocks");

/** `scope { … }` (0.8): the tasks that its task spawned inside and that still run are cancelled on every way out. */
export function lowerScope(ctx: Ctx, node: Scope, mode: ResultMode): St {
  const body = ctx.withoutTail(() => lowerBlock(ctx, node.body, mode));
  return st(
    (f) => {
      const task = f[0] as Task;
      const handles: TaskHandle[] = [];
      const leave = openScopes.enter(task, handles);
      return always(
        () => body.run(f),
        () => {
          leave();
          for (const handle of handles.reverse()) if (!handle.over) cancelHandle(task, handle);
        },
      );
    },
    body.may,
    body.abrupt,
  );
}

/** Runs in place: the block is part of the function, so it may assign, return and break. */
export function lowerDeadline(ctx: Ctx, node: Deadline, mode: ResultMode): St {
  const duration = operand(ctx, node.duration);
  const body = ctx.withoutTail(() => lowerBlock(ctx, node.body, mode));
  const run = scheduled(ctx, node);
  const go = (f: Frame, limit: Value): unknown =>
    run(f, (task) => withDeadline(task, limit, () => body.run(f) as MaybePromise<Value>));
  return st(withOne(duration, go, true).run, true, body.abrupt);
}

export function lowerMutex(ctx: Ctx, node: Mutex): St {
  const key = node.key === undefined ? undefined : operand(ctx, node.key);
  const body = ctx.withoutTail(() => lowerBlock(ctx, node.body, "stmt"));
  const run = scheduled(ctx, node);
  const go = (f: Frame, name: string | undefined): unknown => {
    // The lock's own result is nil; the block's completion is kept beside it.
    let completion: unknown;
    const block = (): MaybePromise<unknown> => {
      const result = body.run(f);
      if (!(result instanceof Promise)) {
        completion = result;
        return null;
      }
      return result.then((result) => {
        completion = result;
        return null;
      });
    };
    const held = run(f, (task) => withMutex(task, name, block));
    return held instanceof Promise ? held.then(() => completion) : completion;
  };
  if (key === undefined) return st((f) => go(f, undefined), true, body.abrupt);
  return st(withOne(key, (f, value) => go(f, toKey(value)), true).run, true, body.abrupt);
}

/** The waiting part of a `select`: gives a `SelectChoice`, with the value in the variable of its case. */
export function lowerSelection(ctx: Ctx, node: Select): Run {
  const channels = node.cases.map((one) => operand(ctx, one.channel));
  const timeout = node.timeout === undefined ? undefined : operand(ctx, node.timeout.duration);
  const puts = node.cases.map((one) => store(ctx, one.name));
  const hasDefault = node.default !== undefined;
  const run = scheduled(ctx, node);
  const kept = (f: Frame, selected: SelectChoice): SelectChoice => {
    if (selected.outcome === "case") puts[selected.index]!(f, selected.value);
    return selected;
  };
  const count = channels.length;
  return withAll(
    timeout === undefined ? channels : [...channels, timeout],
    (f, values) => {
      const limit = timeout === undefined ? undefined : values[count];
      const selected = run(f, (task) =>
        select(task, values.slice(0, count), limit, hasDefault),
      ) as MaybePromise<SelectChoice>;
      return selected instanceof Promise ? selected.then((selected) => kept(f, selected)) : kept(f, selected);
    },
    true,
  ).run;
}

export function lowerSelect(ctx: Ctx, node: Select, mode: ResultMode): St {
  const wait = lowerSelection(ctx, node);
  const bodies = node.cases.map((one) => lowerBlock(ctx, one.body, mode));
  const other = node.timeout?.body ?? node.default;
  const otherwise = other === undefined ? undefined : lowerBlock(ctx, other, mode);
  const none = mode === "stmt" ? undefined : null;
  const chosen = (f: Frame, selected: SelectChoice): unknown => {
    if (selected.outcome === "case") return bodies[selected.index]!.run(f);
    return selected.outcome === "otherwise" && otherwise !== undefined ? otherwise.run(f) : none;
  };
  const abrupt = bodies.some((body) => body.abrupt) || otherwise?.abrupt === true;
  return st(
    (f) => {
      const selected = wait(f);
      return selected instanceof Promise
        ? selected.then((selected) => chosen(f, selected))
        : chosen(f, selected as SelectChoice);
    },
    true,
    abrupt,
  );
}

/** A form of 0.8 that parses but does not run here. */
export function lowerCostRoute(ctx: Ctx, node: CostRoute): Ex {
  const site = ctx.site(node);
  return ex(() => {
    const text = "`cost_route { }` is not available in this version";
    throw locatedFrame(new ScriptError("runtime", text, { code: "HARN-RUN-001" }), site);
  });
}
