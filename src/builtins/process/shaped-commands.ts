/**
 * Commands as host capabilities take them (`process.exec`, builtins.md §2.14): `{mode, argv | command, shell, cwd, env,
 * stdin, timeout_ms}`, and the result that they give.
 */

import type { ProcessResult } from "../../host/index.ts";
import type { Task } from "../../interp/index.ts";
import { Dict, display, runtimeError, thrown, type Value } from "../../values/index.ts";
import { option, optionsOf } from "../arguments.ts";
import { startedFields } from "../rows/commands.ts";
import { processOptions } from "./process-options.ts";
import { type ProcessCommand, runCommand } from "./processes.ts";
import { findShell } from "./shells.ts";

const missingParameter = (key: string, caller = "host_call"): string =>
  `${caller}: missing required parameter '${key}'`;

/** What a host operation can't do without. */
export function needParameter(params: Dict, key: string): Value {
  const value = option(params, key);
  if (value === undefined) throw thrown(missingParameter(key));
  return value;
}

export function shellId(params: Dict): string | undefined {
  const shell = option(params, "shell");
  const id = option(params, "shell_id") ?? (shell instanceof Dict ? option(shell, "id") : undefined);
  return id === undefined ? undefined : display(id);
}

/** Whose command it is: the host operation's, or one that runs beside the program. */
type CommandCaller = "host_call process.exec" | "process_start";

/** Program, arguments and options. */
export function shapedCommand(task: Task, caller: CommandCaller, params: Dict): ProcessCommand {
  const read = optionsOf(caller, params, startedFields);
  const { mode, argv, command } = read;
  const options = processOptions(task, read);
  if (mode === "argv" || (mode === null && argv !== null)) {
    const [program, ...args] = (argv?.toArray() ?? []).map(display);
    if (program === undefined) throw runtimeError(`${caller} missing argv`);
    return { program, args, options };
  }
  if (command === null) throw thrown(missingParameter("command", caller.split(" ", 1)[0]));
  const id = shellId(params);
  if (mode === "shell" && id === undefined) {
    throw runtimeError(`${caller}: shell mode requires \`shell\` or \`shell_id\``);
  }
  const shell = findShell(task, id);
  const before = read.login ? shell.loginArgs : shell.commandArgs;
  return { program: shell.path, args: [...before, command], options };
}

/** How a command ended; the times in epoch milliseconds. */
export function commandResult(result: ProcessResult, started: number, ended: number): Dict {
  const exit = result.timedOut ? -1 : (result.status ?? -1);
  const id = `cmd_${result.pid}`;
  return Dict.of({
    command_id: id,
    status: result.timedOut ? "timed_out" : "completed",
    pid: result.pid,
    process_group_id: result.pid,
    handle_id: id,
    started_at: new Date(started).toISOString(),
    ended_at: new Date(ended).toISOString(),
    duration_ms: Math.max(0, Math.round(ended - started)),
    exit_code: exit,
    signal: result.signal,
    timed_out: result.timedOut,
    stdout: result.stdout,
    stderr: result.stderr,
    combined: result.stdout + result.stderr,
    exit_status: exit,
    legacy_status: exit,
    success: exit === 0,
  });
}

/** Runs a command to its end. One that can't be started is a run-time error here, not a thrown text. */
export async function runShaped(task: Task, params: Dict): Promise<Value> {
  const command = shapedCommand(task, "host_call process.exec", params);
  const { clock } = task.runtime.host;
  const started = clock.now();
  try {
    const result = await runCommand(task, "host_call process.exec", command);
    return commandResult(result, started, clock.now());
  } catch (error) {
    const text = (error as { value?: Value }).value;
    throw typeof text === "string" ? runtimeError(text) : error;
  }
}
