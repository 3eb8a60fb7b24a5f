/** Drives tasks from TypeScript: a runtime over a memory host, with live, recording or replaying effects. */
import { type Effects, LiveEffects } from "../../src/effects/index.ts";
import { nodeAtRest } from "../../src/host/index.ts";
import { Runtime, Task, watchForDeadlock } from "../../src/interp/index.ts";
import { createMemoryHost, type MemoryHost } from "./memory-host.ts";

export interface TestRun {
  readonly runtime: Runtime;
  readonly task: Task;
  readonly host: MemoryHost;
  /** What was printed so far. */
  readonly printed: string[];
}

/** Effects without a journal and with a fixed seed. */
export const liveEffects = (): Effects => new LiveEffects({ atRest: nodeAtRest(), seed: "test" });

/** A runtime with its root task. */
export function testRun(effects: Effects = liveEffects(), host: MemoryHost = createMemoryHost()): TestRun {
  const printed: string[] = [];
  const runtime = new Runtime({
    effects,
    host,
    console: { write: (text) => printed.push(text), writeError: () => {} },
    builtins: new Map(),
  });
  watchForDeadlock(runtime);
  const task = new Task(runtime, undefined, "task_root", effects.root);
  return { runtime, task, host, printed };
}
