/**
 * What a command may say about how it runs. An option that can't be meant is refused before anything is started: a limit or an
 * environment that is left out silently is worse than an error.
 */

import type { ProcessOptions } from "../../host/index.ts";
import type { Task } from "../../interp/index.ts";
import type { Read } from "../../table/index.ts";
import { display } from "../../values/index.ts";
import { hostPath, textOf } from "../arguments.ts";
import type { processFields } from "../rows/commands.ts";

/** Options of a run, as hosts take them. */
export function processOptions(task: Task, read: Read<typeof processFields>): ProcessOptions {
  const { cwd, env, envMode, stdin } = read;
  const timeout = read.timeoutMs ?? read.timeout;
  const variables = [...(env?.entries() ?? [])].map(([name, value]) => [name, display(value)]);
  return {
    ...(cwd === null ? {} : { cwd: hostPath(task, cwd) }),
    ...(env === null ? {} : { env: Object.fromEntries(variables) }),
    ...(envMode === "replace" ? { replaceEnv: true } : {}),
    ...(stdin === null ? {} : { stdin: textOf(stdin) }),
    ...(timeout === null ? {} : { timeoutMs: timeout }),
  };
}
