/**
 * What a command may say about how it runs: `cwd`, `env`, `env_mode`, `stdin`, a timeout, and whether it may be run again
 * when nobody knows whether it happened (`idempotent`). An option that can't be meant is
 * refused before anything is started: a limit or an environment that is left out silently is worse than an error.
 */
import type { ProcessOptions } from "../../host/index.ts";
import type { Task } from "../../interp/index.ts";
import { Dict, Duration, display, List, type ScriptError, shownValue, typeOf } from "../../values/index.ts";
import { type Argument, hostPath, numberOf, option, textOf } from "../arguments.ts";

/** Makes the error of a caller's family; the text begins with the caller's name. */
export type OptionError = (text: string) => ScriptError;

/** Options of a run, for `caller`. */
export function processOptions(
  task: Task,
  caller: string,
  refuse: OptionError,
  input: Argument,
): ProcessOptions {
  const cwd = option(input, "cwd");
  const env = environmentOption(caller, refuse, option(input, "env"));
  const stdin = option(input, "stdin");
  const timeout = timeoutMs(caller, refuse, input);
  const idempotent = option(input, "idempotent");
  if (idempotent !== undefined && typeof idempotent !== "boolean")
    throw refuse(`${caller}: idempotent must be a bool, got ${typeOf(idempotent)}`);
  return {
    ...(cwd === undefined ? {} : { cwd: hostPath(task, cwd) }),
    ...(env === undefined ? {} : { env }),
    ...(replacesEnvironment(caller, refuse, option(input, "env_mode")) ? { replaceEnv: true } : {}),
    ...(stdin === undefined ? {} : { stdin: textOf(stdin) }),
    ...(timeout === undefined ? {} : { timeoutMs: timeout }),
  };
}

/** Arguments after the program: a list, its values in display form. */
export function processArguments(caller: string, refuse: OptionError, args: Argument): string[] {
  if (args === undefined) return [];
  if (args instanceof List) return args.toArray().map((arg) => display(arg));
  throw refuse(`${caller}: args must be a list, got ${typeOf(args)}`);
}

function environmentOption(
  caller: string,
  refuse: OptionError,
  env: Argument,
): Record<string, string> | undefined {
  if (env === undefined) return undefined;
  if (!(env instanceof Dict)) throw refuse(`${caller}: env must be a dict, got ${typeOf(env)}`);
  return Object.fromEntries([...env.entries()].map(([name, value]) => [name, display(value)]));
}

function replacesEnvironment(caller: string, refuse: OptionError, mode: Argument): boolean {
  if (mode === undefined || mode === "merge") return false;
  if (mode === "replace") return true;
  throw refuse(`${caller}: env_mode must be merge or replace, got ${shownValue(mode)}`);
}

function timeoutMs(caller: string, refuse: OptionError, input: Argument): number | undefined {
  const key = option(input, "timeout_ms") === undefined ? "timeout" : "timeout_ms";
  const timeout = option(input, key);
  if (timeout === undefined) return undefined;
  const ms = timeout instanceof Duration ? timeout.ms : numberOf(timeout);
  if (ms !== undefined && ms > 0) return ms;
  throw refuse(`${caller}: ${key} must be a duration or milliseconds above 0, got ${shownValue(timeout)}`);
}
