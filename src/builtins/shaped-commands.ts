/**
 * Commands as host capabilities take them (`process.exec`, builtins.md §2.14): `{mode, argv | command, shell, cwd, env,
 * stdin, timeout_ms}`, and the result that they give.
 */
import type { ProcessOptions, ProcessResult } from "../host/index.ts";
import type { Task } from "../interp/index.ts";
import { Dict, display, List, runtimeError, thrown, type Value } from "../values/index.ts";
import { hostPath, option, textOf } from "./arguments.ts";
import { runCommand, textDict, timeoutOf } from "./processes.ts";
import { findShell } from "./shells.ts";

/** What a host operation can't do without. */
export function needParameter(params: Dict, key: string): Value {
  const value = option(params, key);
  if (value === undefined) throw thrown(`host_call: missing required parameter '${key}'`);
  return value;
}

export function shellId(params: Dict): string | undefined {
  const shell = option(params, "shell");
  const id = option(params, "shell_id") ?? (shell instanceof Dict ? option(shell, "id") : undefined);
  return id === undefined ? undefined : display(id);
}

/** Program and arguments. */
export function argvOf(task: Task, params: Dict): readonly [string, ...string[]] {
  const mode = option(params, "mode");
  const argv = option(params, "argv");
  if (mode === "argv" || (mode === undefined && argv !== undefined)) {
    const [program, ...args] = argv instanceof List ? argv.toArray().map((part) => display(part)) : [];
    if (program === undefined) throw runtimeError("host_call process.exec missing argv");
    return [program, ...args];
  }
  const command = textOf(needParameter(params, "command"));
  const id = shellId(params);
  if (mode === "shell" && id === undefined) {
    throw runtimeError("host_call process.exec: shell mode requires `shell` or `shell_id`");
  }
  const shell = findShell(task, id);
  return [shell.path, ...shell.commandArgs, command];
}

export function commandOptions(task: Task, params: Dict): ProcessOptions {
  const cwd = option(params, "cwd");
  const env = textDict(option(params, "env"));
  const stdin = option(params, "stdin");
  const timeout = timeoutOf(option(params, "timeout_ms"));
  return {
    ...(cwd === undefined ? {} : { cwd: hostPath(task, cwd) }),
    ...(env === undefined ? {} : { env }),
    ...(stdin === undefined ? {} : { stdin: textOf(stdin) }),
    ...(timeout === undefined ? {} : { timeoutMs: timeout }),
  };
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
  const [program, ...args] = argvOf(task, params);
  const options = commandOptions(task, params);
  const { clock } = task.runtime.host;
  const started = clock.now();
  try {
    const result = await runCommand(task, "host_call process.exec", { program, args, options });
    return commandResult(result, started, clock.now());
  } catch (error) {
    const text = (error as { value?: Value }).value;
    throw typeof text === "string" ? runtimeError(text) : error;
  }
}
