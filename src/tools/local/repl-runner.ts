/**
 * Runs the inputs of a session, one at a time, in one Runtime; Ctrl-C ends the input, not the session.
 *
 * An input that waits is told to stop and unwinds. One that computes is broken off in the middle of a turn, which leaves
 * the Runtime's queues in no state to go on with: then the session gets a new one (variables and functions live in the
 * session, not in the Runtime; mocks, conversations and background tasks are gone, and the user is told).
 */
import { builtinTable } from "../../builtins/index.ts";
import { LiveEffects, type StopRequest } from "../../effects/index.ts";
import { createNodeHost, type NodeInterrupts, nodeInterrupts, nodeSeed } from "../../host/index.ts";
import { type Console, Interruption, Runtime, Task } from "../../interp/index.ts";
import { type ExecutableProgram, type RunOptions, type RunOutcome, runProgram } from "../../lower/index.ts";

/** How long a stopped input may unwind. */
const graceMs = 2000;

export class ReplRunner {
  private readonly console: Console;
  private readonly prepare: (runtime: Runtime) => void;
  private readonly interrupts: NodeInterrupts = nodeInterrupts();
  private runtime: Runtime;
  /** Called when a Runtime had to be given up. */
  onRestart: () => void = () => {};

  /** `prepare`: what every Runtime is given before its first input. */
  constructor(console: Console, prepare: (runtime: Runtime) => void) {
    this.console = console;
    this.prepare = prepare;
    this.runtime = this.newRuntime();
  }

  private newRuntime(): Runtime {
    const runtime = new Runtime({
      effects: new LiveEffects({ atRest: this.interrupts.atRest, seed: nodeSeed() }),
      host: createNodeHost(),
      console: this.console,
      builtins: builtinTable(),
    });
    this.prepare(runtime);
    return runtime;
  }

  /** `undefined`: interrupted, and given up. */
  run(program: ExecutableProgram, options: RunOptions): Promise<RunOutcome | undefined> {
    const { runtime } = this;
    const task = new Task(runtime, undefined, "task_root", runtime.effects.root);
    return new Promise((resolve) => {
      let grace: NodeJS.Timeout | undefined;
      let over = false;
      const finish = (outcome: RunOutcome | undefined): void => {
        if (over) return;
        over = true;
        clearTimeout(grace);
        // Node takes the listeners of SIGINT away during a stretch and puts them back after it: not inside one.
        setImmediate(() => {
          unlisten();
          runtime.onBusy = undefined;
          runtime.stopping = undefined;
          if (outcome === undefined) this.restart(runtime);
          resolve(outcome);
        });
      };
      const unlisten = this.interrupts.listen({
        stop: (request) => {
          grace = setTimeout(() => finish(undefined), graceMs);
          stopReplTasks(runtime, request);
        },
        broken: () => finish(undefined),
        force: () => runtime.host.processes.killAll(),
        lost: () => finish(undefined),
        flush: () => this.console.flush?.(),
      });
      runtime.onBusy = () => this.interrupts.busy();
      this.interrupts.stretch(() => {
        const result = runProgram(runtime, program, { ...options, task });
        if (result instanceof Promise) void result.then(finish);
        else finish(result);
      });
    });
  }

  private restart(old: Runtime): void {
    old.host.processes.killAll();
    void old.effects.close();
    this.runtime = this.newRuntime();
    this.onRestart();
  }

  async close(): Promise<void> {
    this.console.flush?.();
    this.runtime.host.processes.killAll();
    await this.runtime.effects.close();
  }
}

/** Everybody who waits is told. */
function stopReplTasks(runtime: Runtime, request: StopRequest): void {
  runtime.stopping = request;
  for (const task of [...runtime.tasks.parked]) {
    task.stopped = true;
    task.abort(new Interruption("stopped", request));
  }
}
