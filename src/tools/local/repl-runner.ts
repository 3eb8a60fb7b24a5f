/**
 * Runs the inputs of a session, one at a time, in one Runtime; Ctrl-C ends the input, not the session.
 *
 * An input that waits is told to stop and unwinds. One that computes is broken off in the middle of a turn, which leaves
 * the Runtime's queues in no state to go on with: then the session gets a new one (variables and functions live in the
 * session, not in the Runtime; mocks, conversations and background tasks are gone, and the user is told).
 *
 * What was entered in earlier sessions is kept beside: a line per entry, readable by its owner only.
 */

import { readdirSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { builtinTable } from "../../builtins/index.ts";
import { LiveEffects, type StopRequest } from "../../effects/index.ts";
import type { ShippedFolder } from "../../host/command/index.ts";
import { createNodeHost, type NodeInterrupts, nodeInterrupts, nodeSeed } from "../../host/index.ts";
import { type Console, Interruption, Runtime, Task } from "../../interp/index.ts";
import { type ExecutableProgram, type RunOptions, type RunOutcome, runProgram } from "../../lower/index.ts";
import { replaceContent } from "../../store/files/whole-files.ts";
import { makeFolders } from "../../store/folders.ts";

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

export const historySize = 1000;

/** `XDG_STATE_HOME/harn/repl-history`, else `~/.local/state/harn/repl-history`. */
export function historyFile(env: NodeJS.ProcessEnv = process.env): string {
  return join(env.XDG_STATE_HOME || join(homedir(), ".local", "state"), "harn", "repl-history");
}

/** Newest first, as `readline` keeps it. Without a readable file there is no history. */
export function readReplHistory(file: string): string[] {
  try {
    return readFileSync(file, "utf8").split("\n").filter(Boolean).slice(-historySize).reverse();
  } catch {
    return [];
  }
}

/** Replaces the file. A history that cannot be kept is no reason to bother anybody. */
export function writeHistory(file: string, entries: readonly string[]): void {
  try {
    makeFolders(dirname(file), 0o700);
    const lines = entries.slice(0, historySize).reverse();
    replaceContent(file, lines.map((line) => `${line}\n`).join(""), 0o600);
  } catch {
    // Read-only home, full disk.
  }
}

/** What a path typed so far may mean: scripts and folders; `std/…` is completed from the library that ships with the runtime. */
export function completePaths(prefix: string, library: ShippedFolder): string[] {
  const standard = prefix.startsWith("std/");
  const folder = prefix.endsWith("/") ? prefix : dirname(prefix);
  const lead = prefix.includes("/") ? `${folder === "/" ? "" : folder.replace(/\/$/, "")}/` : "";
  const found = standard
    ? standardEntries(library, folder.slice("std/".length)).map((name) => lead + name.replace(/\.harn$/, ""))
    : entries(folder).map((name) => lead + name);
  const roots = "std/".startsWith(prefix) ? ["std/"] : [];
  return [...roots, ...found].filter((path) => path.startsWith(prefix)).sort();
}

/** Modules and folders right below a folder of the library. */
function standardEntries(library: ShippedFolder, folder: string): string[] {
  const start = folder === "" ? "" : `${folder.replace(/\/$/, "")}/`;
  const below = library.names().filter((name) => name.startsWith(start) && name.endsWith(".harn"));
  return [...new Set(below.map((name) => name.slice(start.length).replace(/\/.*/, "/")))];
}

function entries(folder: string): string[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter((entry) => !entry.name.startsWith(".") && (entry.isDirectory() || entry.name.endsWith(".harn")))
      .map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name));
  } catch {
    return [];
  }
}
