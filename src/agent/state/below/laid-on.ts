/**
 * What a loop lays on all that works for it, besides its ceilings (policy/scopes.ts), modes and budgets: its hooks around tools
 * and its callers. In force for the loop's task and for every task that it spawns, so that delegates, sub-agents, workers and
 * loops in handlers are under it whoever began them, and none of them can leave it.
 *
 *     call of an inner loop ─▶ hooks of the outermost loop ─▶ … ─▶ its own ─▶ outermost caller ─▶ … ─▶ its own ─▶ tool
 *
 * The functions of a loop run where that loop stands, under its rules, not under those of whoever is being looked at. What they
 * run themselves is not under what could call them again: a function is under the kinds that stand behind its own in `kinds`.
 */
import { NativeCallable, standingAt, type Task, TaskLocal, type TaskLocals } from "../../../interp/index.ts";
import type { Below } from "../../../table/index.ts";
import { type Callable, Dict, type Value } from "../../../values/index.ts";
import { isAboutTools } from "../../contract/index.ts";
import { loopFields } from "../../options/loop-fields.ts";
import type { LoopOptions } from "../../options/loop-options.ts";
import { policyScopes } from "../../policy/index.ts";
import { runningLoops } from "../running.ts";

/** From the one that may be under all others to the one that is under none. */
const kinds = ["llm_caller", "tool_caller", "hooks"] as const;
type Kind = (typeof kinds)[number];

export interface LaidOn {
  readonly topics: LoopOptions["hooks"]["topics"];
  readonly preTool: readonly Callable[];
  readonly postTool: readonly Callable[];
  readonly toolCaller: Callable | null;
  readonly llmCaller: Callable | null;
}

interface LaidOnEntry extends LaidOn {
  /** What binds the loop itself, and what binds its tools: their hooks and callers run there. */
  readonly home: TaskLocals;
  readonly homeOfTools: TaskLocals;
}

const entries = new TaskLocal<LaidOnEntry>("laid on by loops", { binds: true });

/** Whether a loop with these options has any of it. */
export const laysSomething = ({ hooks, toolCaller, llmCaller }: LoopOptions): boolean =>
  hooks.topics.length + hooks.preTool.length + hooks.postTool.length > 0 ||
  toolCaller !== null ||
  llmCaller !== null;

/** Lays what a loop has of it on the task that runs it; the function that it gives ends that. */
export function layOn(task: Task, options: LoopOptions): () => void {
  const home = task.locals;
  const inTool = { locals: home };
  task.runtime.state(policyScopes).markTool(inTool);
  const { toolCaller, llmCaller, hooks } = options;
  const { preTool, postTool } = hooks;
  const topics = hooks.topics.filter(({ topic }) => isAboutTools(topic));
  return entries.enter(task, {
    topics,
    preTool,
    postTool,
    toolCaller,
    llmCaller,
    home,
    homeOfTools: inTool.locals,
  });
}

/**
 * What the loops around a task lay on what runs in it, outermost first, ready to be called there. A function that several of
 * them brought is there once: a loop that was suspended and goes on is under itself.
 */
export function laidOnAround(task: Task): LaidOn[] {
  const met = new Set<Callable>();
  const isNew = (callback: Callable): boolean => !met.has(callback) && met.add(callback) !== undefined;
  return entries.around(task).map((entry) => callableFromInside(entry, isNew));
}

/** Names of the functions that guard what runs in a task: they live in this run only. */
export const guardsAround = (task: Task): string[] =>
  entries
    .around(task)
    .flatMap(({ topics, preTool, postTool, toolCaller, llmCaller }) => [
      ...topics.map(({ topic }) => `hooks.${topic}`),
      ...preTool.map(() => "hooks.pre_tool"),
      ...postTool.map(() => "hooks.post_tool"),
      ...(toolCaller === null ? [] : ["tool_caller"]),
      ...(llmCaller === null ? [] : ["llm_caller"]),
    ]);

function callableFromInside(entry: LaidOnEntry, isNew: (callback: Callable) => boolean): LaidOn {
  const { home, homeOfTools, toolCaller, llmCaller } = entry;
  const hook = (callback: Callable): Callable => callbackInSessions(callback, entry, "hooks", homeOfTools);
  return {
    topics: entry.topics
      .filter(({ callback }) => isNew(callback))
      .map(({ topic, callback }) => ({
        topic,
        callback: callbackInSessions(callback, entry, "hooks", home),
      })),
    preTool: entry.preTool.filter(isNew).map(hook),
    postTool: entry.postTool.filter(isNew).map(hook),
    toolCaller:
      toolCaller !== null && isNew(toolCaller)
        ? callbackInSessions(toolCaller, entry, "tool_caller", homeOfTools)
        : null,
    llmCaller:
      llmCaller !== null && isNew(llmCaller)
        ? callbackInSessions(llmCaller, entry, "llm_caller", home)
        : null,
  };
}

/** The function, called where its loop stands. What it is handed to call (`next`) runs where it was made. */
function callbackInSessions(callback: Callable, entry: LaidOnEntry, kind: Kind, home: TaskLocals): Callable {
  const place = { locals: home };
  entries.enter(place, withoutKinds(entry, kind));
  return new NativeCallable(callback.name, callback.params, (task, args) => {
    const inside = task.locals;
    const runsInside = (value: Value): Value =>
      value instanceof NativeCallable
        ? new NativeCallable(value.name, value.params, (at, given) =>
            standingAt(at, inside, () => value.call(at, given)),
          )
        : value;
    return standingAt(task, place.locals, () => callback.call(task, args.map(runsInside)));
  });
}

/** What is laid on what a function of a kind runs. */
function withoutKinds(entry: LaidOnEntry, kind: Kind): LaidOnEntry {
  const rank = kinds.indexOf(kind);
  return {
    ...entry,
    llmCaller: null,
    toolCaller: rank < kinds.indexOf("tool_caller") ? entry.toolCaller : null,
    ...(rank < kinds.indexOf("hooks") ? {} : { topics: [], preTool: [], postTool: [] }),
  };
}

/** Empty outside of every agent. */
export function handedDown(task: Task, to: Extract<Below, "sub-agents" | "delegates">): Dict {
  const input = task.runtime.state(runningLoops).current(task)?.options.input ?? new Dict();
  const control = input.get("control");
  const options = control instanceof Dict ? control.merge(input) : input;
  return Dict.from(
    loopFields.rows
      .filter((row) => row.below === to)
      .flatMap(({ name }) => {
        const value = options.get(name) ?? null;
        return value === null ? [] : [[name, value] as const];
      }),
  );
}
