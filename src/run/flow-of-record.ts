/**
 * A flow's run, looked at where its function is not: its agents work again, from the record and in its order, for whoever watches them
 * (`harn why`, `harn trace`, the viewer). What else the function did is passed over; how its run ended stands in the record.
 */
import { type EffectScope, History, type Journal } from "../effects/index.ts";
import { NativeCallable, Task } from "../interp/index.ts";
import { decodeValue, type Json, type Value } from "../values/index.ts";
import { callBuiltinInFlow, flowAgentKind, noteAgent } from "./setup/flow-of-run.ts";

interface RecordedAgent {
  /** Of its effects. */
  readonly path: string;
  /** Prompt and options, as they were recorded. */
  readonly args: readonly Json[];
  /** All that it asked for was answered. */
  readonly isWhole: boolean;
}

export interface FlowOfRecord {
  /** In place of the function. */
  readonly body: Value;
  /** `ReplayOptions.unasked` */
  unasked(path: string): boolean;
}

export function flowOfRecord(journal: Journal): FlowOfRecord {
  const agents = agentsOf(new History(journal));
  return {
    body: new NativeCallable("flow", ["input"], (task) => workAgain(task, agents)),
    unasked: (path) => !agents.some((agent) => isWithin(path, agent.path)),
  };
}

const isWithin = (path: string, outer: string): boolean => path === outer || path.startsWith(`${outer}.`);

function agentsOf(history: History): readonly RecordedAgent[] {
  const asked = history.records.filter((record) => record.t === "intent");
  const isOpen = (path: string): boolean =>
    asked.some(({ p, n }) => isWithin(p, path) && history.at(p, n)?.result === undefined);
  return asked
    .filter(({ k }) => k === flowAgentKind)
    .map(({ p, a }) => ({ path: p, args: listedOf(history.whole(a ?? null)), isWhole: !isOpen(p) }));
}

const listedOf = (args: Json): readonly Json[] => (Array.isArray(args) ? args : []);

async function workAgain(task: Task, agents: readonly RecordedAgent[]): Promise<Value> {
  const works = agents.map((agent) => ({ agent, end: workOf(task, agent) }));
  const whole = works.filter(({ agent }) => agent.isWhole).map(({ end }) => end);
  await task.park<null>("the agents of the flow", (wait) => {
    void Promise.allSettled(whole).then(() => wait.wake(null));
    return undefined;
  });
  return null;
}

/** On its path, when its turn comes. What it ends with was its flow's to judge. */
async function workOf(parent: Task, { path, args }: RecordedAgent): Promise<void> {
  const task = new Task(parent.runtime, parent, `task_root:flow:${path}`, scopeAt(parent, path));
  const [prompt, options] = args;
  if (prompt === undefined || options === undefined) return;
  try {
    await noteAgent(task, args);
    await callBuiltinInFlow(task, "agent_loop", [decodeValue(prompt), null, decodeValue(options)]);
  } finally {
    task.end();
  }
}

function scopeAt(task: Task, path: string): EffectScope {
  const { effects } = task.runtime;
  if (path === effects.root.path) return effects.root;
  const at = path.lastIndexOf(".");
  const parent = scopeAt(task, path.slice(0, at));
  parent.children = Number(path.slice(at + 1));
  return effects.child(parent);
}
