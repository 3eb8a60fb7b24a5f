/**
 * What a command may say about how it runs: `cwd`, `env`, `env_mode`, `stdin`, a timeout, and whether it may be run again
 * when nobody knows whether it happened (`idempotent`). An option that can't be meant is
 * refused before anything is started: a limit or an environment that is left out silently is worse than an error.
 */

import type { ProcessOptions } from "../../host/index.ts";
import type { Task } from "../../interp/index.ts";
import { at, refusal } from "../../table/index.ts";
import { Dict, Duration, display, List } from "../../values/index.ts";
import { type Argument, hostPath, numberOf, option, textOf } from "../arguments.ts";

/** Options of a run, for `caller`. */
export function processOptions(task: Task, caller: string, input: Argument): ProcessOptions {
  const cwd = option(input, "cwd");
  const env = environmentOption(caller, option(input, "env"));
  const stdin = option(input, "stdin");
  const timeout = timeoutMs(caller, input);
  const idempotent = option(input, "idempotent");
  if (idempotent !== undefined && typeof idempotent !== "boolean")
    throw refusal(at(caller, "idempotent"), "bool", idempotent);
  return {
    ...(cwd === undefined ? {} : { cwd: hostPath(task, cwd) }),
    ...(env === undefined ? {} : { env }),
    ...(replacesEnvironment(caller, option(input, "env_mode")) ? { replaceEnv: true } : {}),
    ...(stdin === undefined ? {} : { stdin: textOf(stdin) }),
    ...(timeout === undefined ? {} : { timeoutMs: timeout }),
  };
}

/** Arguments after the program: a list, its values in display form. */
export function processArguments(caller: string, args: Argument): string[] {
  if (args === undefined) return [];
  if (args instanceof List) return args.toArray().map((arg) => display(arg));
  throw refusal(at(caller, "args"), "list", args);
}

function environmentOption(caller: string, env: Argument): Record<string, string> | undefined {
  if (env === undefined) return undefined;
  if (!(env instanceof Dict)) throw refusal(at(caller, "env"), "dict", env);
  return Object.fromEntries([...env.entries()].map(([name, value]) => [name, display(value)]));
}

function replacesEnvironment(caller: string, mode: Argument): boolean {
  if (mode === undefined || mode === "merge") return false;
  if (mode === "replace") return true;
  throw refusal(at(caller, "env_mode"), '"merge" or "replace"', mode);
}

function timeoutMs(caller: string, input: Argument): number | undefined {
  const key = option(input, "timeout_ms") === undefined ? "timeout" : "timeout_ms";
  const timeout = option(input, key);
  if (timeout === undefined) return undefined;
  const ms = timeout instanceof Duration ? timeout.ms : numberOf(timeout);
  if (ms !== undefined && ms > 0) return ms;
  throw refusal(at(caller, key), "a duration or milliseconds above 0", timeout);
}
