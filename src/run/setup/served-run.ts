/** A program that works for one message of a conversation: with its history, its parameters, its inbox. */
import type { Runtime } from "../../interp/index.ts";
import { type ExecutableProgram, type RunOutcome, runProgram } from "../../lower/index.ts";
import {
  openServed,
  type ServedMessage,
  type ServedPorts,
  servedParams,
  serveMessage,
} from "../../threads/index.ts";
import { type MaybePromise, ScriptError, uncaughtText } from "../../values/index.ts";

/** What the guard is to run. */
export function servedRun(
  runtime: Runtime,
  program: ExecutableProgram,
  served: ServedMessage,
  ports: ServedPorts | null,
): () => MaybePromise<RunOutcome> {
  serveMessage(runtime, served, ports);
  return () => {
    try {
      return runProgram(runtime, program, { task: openServed(runtime), params: servedParams(served) });
    } catch (error) {
      // The history can't be read.
      if (!(error instanceof ScriptError)) throw error;
      return { value: null, exitCode: 1, error: { error, text: uncaughtText(error) } };
    }
  };
}
