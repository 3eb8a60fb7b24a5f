/** Records a script in memory and replays it on a machine on which nothing can be done. */
import { builtinTable } from "../../src/builtins/index.ts";
import { type Effects, type Journal, MemoryJournal, Secrets } from "../../src/effects/index.ts";
import { type GuardedEnd, Runtime, runGuarded } from "../../src/interp/index.ts";
import { type RunOutcome, runProgram } from "../../src/lower/index.ts";
import { recordingEffects, replayEffects, unusableHost } from "./concurrent.ts";
import { createMemoryHost, type MemoryHost } from "./memory-host.ts";
import { compileScript, type ScriptOptions } from "./run-script.ts";

export interface ReplayOptions extends ScriptOptions {
  /** Wires what a host wires: models, observers. */
  readonly onRuntime?: (runtime: Runtime) => void;
}

export interface ReplayableRun {
  readonly stdout: string;
  readonly exitCode: number;
  /** Text of an uncaught error. */
  readonly error: string;
  /** What stopped it from outside, or the journal's problem. */
  readonly guarded: GuardedEnd<RunOutcome>;
}

/** Runs a script under given effects, as the command line does. */
export async function runUnder(
  text: string,
  effects: Effects,
  host: MemoryHost,
  options: ReplayOptions = {},
): Promise<ReplayableRun> {
  const compiled = compileScript(text, options);
  const program = compiled.program;
  if (program === undefined) throw new Error(compiled.diagnostics[0]?.message);
  let stdout = "";
  const runtime = new Runtime({
    effects,
    host,
    console: {
      write: (piece) => {
        stdout += piece;
      },
      writeError: () => {},
    },
    builtins: builtinTable(),
    ...options.runtime,
  });
  options.onRuntime?.(runtime);
  const guarded = await runGuarded(runtime, () => runProgram(runtime, program), {
    end: (outcome) => ({
      reason: outcome.error === undefined ? "done" : "error",
      exitCode: outcome.exitCode,
    }),
  });
  const outcome = guarded.kind === "problem" ? undefined : guarded.outcome;
  if (outcome?.internal !== undefined && guarded.kind === "ended") throw outcome.internal;
  return { stdout, exitCode: outcome?.exitCode ?? -1, error: outcome?.error?.text ?? "", guarded };
}

export interface Both {
  readonly recorded: ReplayableRun;
  readonly replayed: ReplayableRun;
  readonly journal: Journal;
}

/** Records, then replays without any outside. */
export async function recordAndReplayScript(
  text: string,
  host: MemoryHost = createMemoryHost(),
  options: ReplayOptions = {},
): Promise<Both> {
  const writer = new MemoryJournal();
  const secrets = Secrets.ofEnvironment(host.env);
  const recorded = await runUnder(text, recordingEffects(writer, secrets), host, options);
  const journal = writer.read();
  const replayed = await runUnder(text, replayEffects(journal, secrets), unusableHost(), options);
  return { recorded, replayed, journal };
}
