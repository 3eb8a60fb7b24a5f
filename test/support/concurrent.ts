/** Drives tasks from TypeScript: a runtime over a memory host, with live, recording or replaying effects. */
import {
  type Effects,
  type Journal,
  type JournalWriter,
  LiveEffects,
  MemoryJournal,
  RecordingEffects,
  ReplayEffects,
  type RunEnd,
  Secrets,
} from "../../src/effects/index.ts";
import { HostError, nodeAtRest, nodeDigest, nodeOutputHash } from "../../src/host/index.ts";
import { type GuardedEnd, Runtime, runGuarded, Task } from "../../src/interp/index.ts";
import { type MaybePromise, ScriptError, uncaughtText, type Value } from "../../src/values/index.ts";
import { createMemoryHost, type MemoryHost } from "./memory-host.ts";

export interface TestRun {
  readonly runtime: Runtime;
  readonly task: Task;
  readonly host: MemoryHost;
  /** What was printed so far. */
  readonly printed: string[];
}

/** Effects without a journal and with a fixed seed. */
export const liveEffects = (seed = "test"): Effects => new LiveEffects({ atRest: nodeAtRest(), seed });

/** Effects that write to a journal. */
export function recordingEffects(
  writer: JournalWriter,
  secrets: Secrets = new Secrets(),
  argv: readonly string[] = [],
): RecordingEffects {
  return new RecordingEffects({
    atRest: nodeAtRest(),
    seed: "test",
    writer,
    digest: nodeDigest,
    secrets,
    outputHash: nodeOutputHash(),
    run: { run: "r", runtime: "0", platform: {}, argv, entry: "test", cwd: "/work", options: null },
  });
}

/** Effects that answer from a journal. */
export function replayEffects(
  journal: Journal,
  secrets: Secrets = new Secrets(),
  versions: Readonly<Record<string, string>> = {},
): ReplayEffects {
  return new ReplayEffects({
    atRest: nodeAtRest(),
    journal,
    digest: nodeDigest,
    secrets,
    outputHash: nodeOutputHash(),
    hostError: (code, message) => new HostError(code, message),
    versions,
  });
}

/** A runtime with its root task. */
export function testRun(effects: Effects = liveEffects(), host: MemoryHost = createMemoryHost()): TestRun {
  const printed: string[] = [];
  const runtime = new Runtime({
    effects,
    host,
    console: { write: (text) => printed.push(text), writeError: () => {} },
    builtins: new Map(),
  });
  const task = new Task(runtime, undefined, "task_root", effects.root);
  return { runtime, task, host, printed };
}

export type TestProgram = (task: Task) => MaybePromise<Value>;

export interface TestOutcome {
  readonly guarded: GuardedEnd<string>;
  readonly output: string;
}

/** Runs a program as the command line does, with its outcome as text. */
export async function runToEnd(
  program: TestProgram,
  effects: Effects,
  host?: MemoryHost,
): Promise<TestOutcome> {
  const run = testRun(effects, host);
  const end = (outcome: string): RunEnd =>
    outcome.startsWith("value") ? { reason: "done", exitCode: 0 } : { reason: "error", exitCode: 1 };
  const guarded = await runGuarded(run.runtime, () => outcomeOf(program, run.task), { end });
  return { guarded, output: run.printed.join("") };
}

async function outcomeOf(program: TestProgram, task: Task): Promise<string> {
  try {
    return `value ${String(await program(task))}`;
  } catch (error) {
    if (error instanceof ScriptError) return `error ${uncaughtText(error)}`;
    throw error;
  }
}

/** A machine on which nothing can be done: a replay must not need one. How long it takes itself it may look at. */
export function unusableHost(): MemoryHost {
  const host = createMemoryHost();
  const refuse = (): never => {
    throw new Error("a replay touched the outside");
  };
  for (const part of [host.clock, host.files, host.processes, host.network]) {
    for (const name of methodsOf(part)) Object.defineProperty(part, name, { value: refuse });
  }
  return host;
}

function methodsOf(object: object): string[] {
  const prototype = Object.getPrototypeOf(object) as object;
  const kept = new Set(["constructor", "killAll", "monotonic"]);
  return Object.getOwnPropertyNames(prototype).filter((name) => !kept.has(name));
}

/** Records a program, replays it on an unusable machine, and gives both. */
export async function recordAndReplay(
  program: TestProgram,
  host?: MemoryHost,
): Promise<{ recorded: TestOutcome; replayed: TestOutcome; journal: Journal }> {
  const writer = new MemoryJournal();
  const recorded = await runToEnd(program, recordingEffects(writer), host);
  const journal = writer.read();
  const replayed = await runToEnd(program, replayEffects(journal), unusableHost());
  return { recorded, replayed, journal };
}
