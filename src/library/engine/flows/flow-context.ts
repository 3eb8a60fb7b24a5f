/** What a flow's function is given: each call is an effect, or begins effects on a path of its own, of the task it belongs to. */
import { AsyncLocalStorage } from "node:async_hooks";
import { performFunction } from "../../../agent/index.ts";
import type { ProblemPlace } from "../../../effects/index.ts";
import { runParallel, type Task } from "../../../interp/index.ts";
import { callBuiltinInFlow } from "../../../run/setup/index.ts";
import { type MaybePromise, proceed, toJs } from "../../../values/index.ts";
import { harnError } from "../../errors.ts";
import { checkGiven, checkWord, iterable } from "../../option-checks.ts";
import { askKinds, parallelKinds, stepKinds } from "../../option-tables.ts";
import { jsonSchemaOf, validated } from "../../schema.ts";
import type {
  AskOptions,
  FlowAgentOptions,
  FlowContext,
  ParallelOptions,
  Schema,
  StepContext,
  StepOptions,
} from "../../types.ts";
import { runFlowAgent } from "./flow-agent.ts";
import { valueForRun } from "./flow-errors.ts";
import type { FlowRun } from "./flow-run.ts";

type StepFunction = (input: unknown, context: StepContext) => unknown;
type BranchFunction = (ctx: FlowContext, item: unknown, index: number) => unknown;

/** The context of a task: the flow's own, or one of a branch of `parallel`. */
export function flowContext(flow: FlowRun, task: Task): FlowContext {
  const { run } = flow.options;

  const step = (
    name: string,
    input: unknown,
    fn: StepFunction,
    options: StepOptions = {},
  ): Promise<unknown> =>
    flow.call("step", step, "work", () => {
      mustBeStep(name, fn, options);
      const value = valueForRun(input, `the input of step ${name}`, run);
      const { effect = "write", idempotent = false } = options;
      const where = AsyncLocalStorage.snapshot();
      const operation = {
        doc: name,
        effect,
        inDoubt: idempotent ? ("repeat" as const) : ("park" as const),
        deferred: true,
        call: async (
          given: unknown,
          { signal, place, attempt }: { signal: AbortSignal; place: string; attempt: number },
        ) =>
          await where(() =>
            flow.inStep(name, () => fn(given, { signal, attempt, run, idempotencyKey: `${run}#${place}` })),
          ),
      };
      return proceed(performFunction(task, `step.${name}`, operation, value), toJs);
    });

  const agent = (options: FlowAgentOptions): Promise<unknown> =>
    flow.call("agent", agent, "work", (place) =>
      onBranch(task, place, (child) => runFlowAgent(child, flow.options, options)),
    );

  const ask = (prompt: string, options: AskOptions = {}): Promise<unknown> =>
    flow.call("ask", ask, "wait", (place) => {
      if (typeof prompt !== "string" || prompt === "")
        throw harnError("HARN-LIB-001", "ctx.ask: the first argument is what is asked, a text");
      checkGiven("ctx.ask", options, askKinds);
      const { schema, ...rest } = options;
      const dict = valueForRun(
        { ...rest, ...(schema === undefined ? {} : { schema: schemaForPeople(schema) }) },
        "the options of ctx.ask",
        run,
      );
      return onBranch(task, place, async (child) => {
        const answer = toJs(await callBuiltinInFlow(child, "ask_user", [prompt, dict]));
        return schema === undefined ? answer : await validated(schema, answer, "the answer");
      });
    });

  const sleep = (ms: number): Promise<void> =>
    flow.call("sleep", sleep, "wait", () => {
      if (!Number.isSafeInteger(ms) || ms < 0)
        throw harnError("HARN-LIB-001", "ctx.sleep: milliseconds are a whole number from 0");
      return proceed(callBuiltinInFlow(task, "sleep", [ms]), () => undefined);
    });

  const now = (): number => flow.callNow("now", now, () => Number(callBuiltinInFlow(task, "now_ms", [])));

  const parallel = (
    items: Iterable<unknown>,
    fn: BranchFunction,
    options: ParallelOptions = {},
  ): Promise<unknown[]> =>
    flow.call("parallel", parallel, "wait", () => {
      if (typeof fn !== "function")
        throw harnError("HARN-LIB-001", "ctx.parallel: the second argument is (ctx, item, index) => …");
      checkWord("ctx.parallel", "the first argument", items, iterable);
      checkGiven("ctx.parallel", options, parallelKinds);
      const list = [...items];
      const results: unknown[] = list.map(() => undefined);
      const failures = new Map<number, unknown>();
      const branch = async (child: Task, index: number): Promise<null> => {
        try {
          results[index] = await fn(flowContext(flow, child), list[index], index);
        } catch (error) {
          failures.set(index, error);
        }
        return null;
      };
      const all = runParallel(
        task,
        "count",
        list.length,
        (child, _item, index) => branch(child, index),
        options.concurrency,
      );
      return proceed(all, () => {
        const [first] = [...failures.keys()].sort((a, b) => a - b);
        if (first !== undefined) throw failures.get(first);
        return results;
      });
    });

  return { run: flow.options.named, step, agent, ask, sleep, now, parallel } as FlowContext;
}

/** On a task of its own, and so on a path of its own: others may work beside it. `place`: where the flow asks for it. */
function onBranch<T>(
  task: Task,
  place: ProblemPlace | undefined,
  body: (child: Task) => Promise<T>,
): MaybePromise<T> {
  let result: T;
  const branch = async (child: Task): Promise<null> => {
    child.place = place;
    result = await body(child);
    return null;
  };
  return proceed(runParallel(task, "count", 1, branch), () => result);
}

function mustBeStep(name: unknown, fn: unknown, options: StepOptions): void {
  if (typeof name !== "string" || name === "")
    throw harnError("HARN-LIB-001", "ctx.step: the first argument is the name of the step, a text");
  if (typeof fn !== "function")
    throw harnError(
      "HARN-LIB-001",
      `ctx.step: step \`${name}\` needs a function after its input: ctx.step(name, input, async (input) => …)`,
    );
  checkGiven(`ctx.step \`${name}\``, options, stepKinds);
}

/** What people and pages are shown of an answer's schema. */
function schemaForPeople(schema: Schema): unknown {
  const own = jsonSchemaOf(schema);
  if ("schema" in own) return own.schema;
  throw harnError("HARN-LIB-001", `ctx.ask: ${own.problem}; give one that can`);
}
