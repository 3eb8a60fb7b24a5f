/**
 * Running programs (builtins.md §2.14). A program gets no terminal, its output is limited, and ending the run, a
 * deadline or a timeout ends its whole process tree.
 */

import { HostError, type ProcessOptions, type ProcessResult } from "../host/index.ts";
import { type Task, workingFolder, workplaces } from "../interp/index.ts";
import { defineBuiltins } from "../table/index.ts";
import { Dict, display, List, thrown, typeOf, type Value } from "../values/index.ts";
import { type Given, hostPath, option, textOf } from "./arguments.ts";
import { processArguments, processOptions } from "./process-options.ts";
import { capturedFields, processFields } from "./rows/commands.ts";

export interface Command {
  readonly program: string;
  readonly args: readonly string[];
  readonly options: ProcessOptions;
}

/** Bytes that a program may print; one that goes on is ended. */
export const mostOutput = 64 * 1024 * 1024;

/** The shell of the platform around a command line. */
export function shellCommand(task: Task, line: string): [string, readonly string[]] {
  return task.runtime.host.os === "windows" ? ["cmd", ["/C", line]] : ["/bin/sh", ["-c", line]];
}

/** Runs a command; a program that can't be started throws `PREFIX: words of the system (program 'NAME')`. */
export async function runCommand(task: Task, prefix: string, command: Command): Promise<ProcessResult> {
  const { host } = task.runtime;
  const options = { signal: task.signal, ...placed(task, command.options) };
  try {
    const result = await host.processes.run(command.program, command.args, {
      maxOutput: mostOutput,
      ...options,
    });
    return whole(prefix, command.program, result);
  } catch (error) {
    if (error instanceof HostError) throw thrown(`${prefix}: ${notStarted(error, command)}`);
    throw error;
  }
}

/** Where the task works, and what that place adds to the environment, unless the call says otherwise. */
export function placed(task: Task, options: ProcessOptions): ProcessOptions {
  const place = workplaces.current(task);
  const usual = { cwd: workingFolder(task), ...options };
  if (place === undefined || options.replaceEnv === true) return usual;
  return { ...usual, env: { ...place.env, ...options.env } };
}

/** Why a program did not start. The system says "No such file" of a missing program and folder alike: both are named. */
export function notStarted(
  error: HostError,
  { program, options }: Pick<Command, "program" | "options">,
): string {
  if (error.message.includes(`'${program}'`)) return error.message;
  return `${error.message} (program '${program}'${options.cwd === undefined ? "" : ` in '${options.cwd}'`})`;
}

/** The result of a program that was not ended because it printed without end: part of an output looks like all of it. */
export function whole(prefix: string, program: string, result: ProcessResult): ProcessResult {
  if (!result.truncated) return result;
  const [who] = prefix.split(":", 1);
  throw thrown(`${who}: '${program}' printed more than ${mostOutput} bytes and was ended`);
}

function resultDict(result: ProcessResult, more: Readonly<Record<string, Value>> = {}): Dict {
  const status = result.status ?? -1;
  return Dict.of({ stdout: result.stdout, stderr: result.stderr, status, success: status === 0, ...more });
}

async function execute(task: Task, program: string, args: readonly string[], cwd?: string): Promise<Value> {
  const options = cwd === undefined ? {} : { cwd };
  return resultDict(await runCommand(task, "exec failed: process spawn failed", { program, args, options }));
}

async function timed(task: Task, command: Command): Promise<{ result: ProcessResult; ms: number }> {
  const { clock } = task.runtime.host;
  const start = clock.monotonic();
  const result = await runCommand(task, "exec failed: process spawn failed", command);
  return { result, ms: Math.round(clock.monotonic() - start) };
}

function needArgv(name: string, value: Given): [string, ...string[]] {
  if (value !== undefined && value !== null && !(value instanceof List))
    throw thrown(`${name}: command must be a list of program and arguments, got ${typeOf(value)}`);
  const argv = value instanceof List ? value.toArray().map((part) => display(part)) : [];
  const [program, ...args] = argv;
  if (program === undefined || program === "") throw thrown(`${name}: command is required`);
  return [program, ...args];
}

const outcome = "`{stdout, stderr, status, success}`; `status` is -1 when a signal ended it.";
const shared = {
  effect: "write" as const,
  doubtful: "say" as const,
  deferred: true,
  suspends: "may" as const,
  capability: "process",
};

export const processes = defineBuiltins("processes", {
  exec: {
    ...shared,
    doc: `Runs a program with its arguments, without a shell: ${outcome}`,
    sig: "(command: string, ...args: any) -> dict",
    run: (task, command: Given, ...args: Value[]) => {
      if (textOf(command) === "") throw thrown("exec: command is required");
      return execute(task, textOf(command), args.map(display));
    },
  },
  exec_at: {
    ...shared,
    doc: `Runs a program in a folder, without a shell: ${outcome}`,
    sig: "(directory: string, command: string, ...args: any) -> dict",
    run: (task, directory: Given, command: Given, ...args: Value[]) => {
      if (textOf(directory) === "" || textOf(command) === "") {
        throw thrown("exec_at: directory and command are required");
      }
      return execute(task, textOf(command), args.map(display), hostPath(task, directory));
    },
  },
  shell: {
    ...shared,
    doc: `Runs a line in the shell: ${outcome}`,
    sig: "(command: string) -> dict",
    run: (task, command: Given) => {
      if (textOf(command) === "") throw thrown("shell: command string is required");
      return execute(task, ...shellCommand(task, textOf(command)));
    },
  },
  shell_at: {
    ...shared,
    doc: `Runs a line in the shell, in a folder: ${outcome}`,
    sig: "(directory: string, command: string) -> dict",
    run: (task, directory: Given, command: Given) => {
      if (textOf(directory) === "" || textOf(command) === "") {
        throw thrown("shell_at: directory and command string are required");
      }
      return execute(task, ...shellCommand(task, textOf(command)), hostPath(task, directory));
    },
  },
  exec_opts: {
    ...shared,
    doc: "Runs `[program, …arguments]` with `env`, `env_mode` (merge or replace), `cwd`, `stdin`, `timeout`.",
    sig: "(command: list<string>, options?: dict) -> dict",
    fields: { options: () => processFields },
    run: async (task, command: Given, options: Given) => {
      const [program, ...args] = needArgv("exec_opts", command);
      const read = processOptions(task, "exec_opts", thrown, options);
      const { result, ms } = await timed(task, { program, args, options: read });
      return resultDict(result, { timed_out: result.timedOut, duration_ms: ms });
    },
  },
  spawn_captured: {
    ...shared,
    doc: "Runs `{cmd, args, cwd, env, stdin, timeout_ms}`: `{stdout, stderr, exit_code, success, timed_out, duration_ms}`.",
    sig: "(request: dict) -> dict",
    fields: { request: () => capturedFields },
    run: async (task, request: Given) => {
      const program = textOf(option(request, "cmd"));
      if (program === "") throw thrown("spawn_captured: cmd is required");
      const args = processArguments("spawn_captured", thrown, option(request, "args"));
      const options = processOptions(task, "spawn_captured", thrown, request);
      const { result, ms } = await timed(task, { program, args, options });
      const status = result.status ?? -1;
      return Dict.of({
        stdout: result.stdout,
        stderr: result.stderr,
        exit_code: status,
        success: status === 0,
        timed_out: result.timedOut,
        duration_ms: ms,
      });
    },
  },
});
