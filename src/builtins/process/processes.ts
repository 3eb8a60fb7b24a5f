/**
 * Running programs (builtins.md §2.14). A program gets no terminal, its output is limited, and ending the run, a
 * deadline or a timeout ends its whole process tree.
 */

import { commandPoliciesOf, judgedRequest, readsOnly } from "../../agent/index.ts";
import { HostError, type ProcessOptions, type ProcessResult } from "../../host/index.ts";
import { type Task, workingFolder, workspaces } from "../../interp/index.ts";
import { at, type BuiltinDeclaration, defineBuiltins, keysOf, refusal } from "../../table/index.ts";
import { Dict, display, List, thrown, type Value } from "../../values/index.ts";
import { type Argument, hostPath, optionsOf, textOf } from "../arguments.ts";
import { capturedFields, processFields } from "../rows/commands.ts";
import { underPolicy } from "./command-policy.ts";
import { commandResultKeys } from "./command-result-keys.ts";
import { liveOutput } from "./live-output.ts";
import { processOptions } from "./process-options.ts";

export interface ProcessCommand {
  readonly program: string;
  readonly args: readonly string[];
  readonly options: ProcessOptions;
}

/** Bytes that a program may print; one that goes on is ended. */
export const maxOutput = 64 * 1024 * 1024;

/** The shell of the platform around a command line. */
export function shellCommand(task: Task, line: string): [string, readonly string[]] {
  return task.runtime.host.os === "windows" ? ["cmd", ["/C", line]] : ["/bin/sh", ["-c", line]];
}

/** Runs a command; a program that can't be started throws `PREFIX: words of the system (program 'NAME')`. */
export async function runCommand(
  task: Task,
  prefix: string,
  command: ProcessCommand,
): Promise<ProcessResult> {
  const { host } = task.runtime;
  const options = { signal: task.signal, ...inWorkingFolder(task, command.options) };
  try {
    const result = await host.processes.run(command.program, command.args, {
      maxOutput,
      ...liveOutput(task),
      ...options,
    });
    return wholeOutput(prefix, command.program, result);
  } catch (error) {
    if (error instanceof HostError) throw thrown(`${prefix}: ${notStarted(error, command)}`);
    throw error;
  }
}

/** Where the task works, and what that place adds to the environment, unless the call says otherwise. */
export function inWorkingFolder(task: Task, options: ProcessOptions): ProcessOptions {
  const place = workspaces.current(task);
  const usual = { cwd: workingFolder(task), ...options };
  if (place === undefined || options.replaceEnv === true) return usual;
  return { ...usual, env: { ...place.env, ...options.env } };
}

/** Why a program did not start. The system says "No such file" of a missing program and folder alike: both are named. */
export function notStarted(
  error: HostError,
  { program, options }: Pick<ProcessCommand, "program" | "options">,
): string {
  if (error.message.includes(`'${program}'`)) return error.message;
  return `${error.message} (program '${program}'${options.cwd === undefined ? "" : ` in '${options.cwd}'`})`;
}

/** The result of a program that was not ended because it printed without end: part of an output looks like all of it. */
export function wholeOutput(prefix: string, program: string, result: ProcessResult): ProcessResult {
  if (!result.truncated) return result;
  const [who] = prefix.split(":", 1);
  throw thrown(`${who}: '${program}' printed more than ${maxOutput} bytes and was ended`);
}

const ranKeys = keysOf("stdout", "stderr", "status", "success");

/** Under a policy the result says what was decided too, and what was blocked is told as of `process.exec`. */
const execKeys = { ...commandResultKeys, ...ranKeys } as const;
/** What other languages call keys of it. */
const ranOtherKeys = {
  ...{ output: "stdout", out: "stdout", text: "stdout", err: "stderr", error: "stderr", ok: "success" },
  ...{ code: "status", returncode: "status", exitcode: "status" },
} as const;
const timedKeys = { ...execKeys, ...keysOf("timed_out", "duration_ms") } as const;

function resultDict(result: ProcessResult, more: Readonly<Record<string, Value>> = {}): Dict {
  const status = result.status ?? -1;
  return Dict.of({ stdout: result.stdout, stderr: result.stderr, status, success: status === 0, ...more });
}

async function executeProcess(
  task: Task,
  program: string,
  args: readonly string[],
  cwd?: string,
): Promise<Value> {
  const options = cwd === undefined ? {} : { cwd };
  return resultDict(await runCommand(task, "exec failed: process spawn failed", { program, args, options }));
}

async function timed(task: Task, command: ProcessCommand): Promise<{ result: ProcessResult; ms: number }> {
  const { clock } = task.runtime.host;
  const start = clock.monotonic();
  const result = await runCommand(task, "exec failed: process spawn failed", command);
  return { result, ms: Math.round(clock.monotonic() - start) };
}

function needArgv(name: string, value: Argument): [string, ...string[]] {
  if (value !== undefined && value !== null && !(value instanceof List))
    throw refusal(at(name, "command"), "list", value);
  const argv = value instanceof List ? value.toArray().map((part) => display(part)) : [];
  const [program, ...args] = argv;
  if (program === undefined || program === "") throw thrown(`${name}: command is required`);
  return [program, ...args];
}

/** The words of a command, and where it runs, as command policies take them (`shaped-commands.ts`). */
interface CommandShape {
  request(task: Task, args: readonly Value[]): Dict;
  /** The arguments of a request that a policy's hook has rewritten. */
  rewritten(words: List, args: readonly Value[]): readonly Value[];
}

const requestShape = (
  request: (args: readonly Value[]) => Dict,
  rewritten: CommandShape["rewritten"],
): CommandShape => ({
  request: (_task, args) => request(args),
  rewritten,
});

const argumentTexts = (args: readonly Value[]): List => new List(args.map((arg) => display(arg)));

/** A line in which a shell finds just these words. */
const quotedLine = (words: List): string =>
  words
    .toArray()
    .map((word) => `'${display(word).replaceAll("'", `'\\''`)}'`)
    .join(" ");

const shapes = {
  program: requestShape(
    (args) => Dict.of({ argv: argumentTexts(args) }),
    (words) => words.toArray(),
  ),
  programAt: requestShape(
    ([directory, ...args]) => Dict.of({ argv: argumentTexts(args), cwd: textOf(directory) }),
    (words, [directory = null]) => [directory, ...words.toArray()],
  ),
  line: requestShape(
    ([line]) => Dict.of({ mode: "shell", command: textOf(line) }),
    (words) => [quotedLine(words)],
  ),
  lineAt: requestShape(
    ([directory, line]) => Dict.of({ mode: "shell", command: textOf(line), cwd: textOf(directory) }),
    (words, [directory = null]) => [directory, quotedLine(words)],
  ),
  list: requestShape(
    ([command, options]) =>
      (options instanceof Dict ? options : new Dict()).with(
        "argv",
        command instanceof List ? command : new List([]),
      ),
    (words, [, ...options]) => [words, ...options],
  ),
  request: requestShape(
    ([request]) => {
      const config = request instanceof Dict ? request : new Dict();
      const args = config.get("args");
      const rest = args instanceof List ? args.toArray() : [];
      return config.with("argv", argumentTexts([config.get("cmd") ?? "", ...rest]));
    },
    (words, [request]) => {
      const [cmd = "", ...args] = words.toArray();
      return [(request as Dict).with("cmd", cmd).with("args", new List(args))];
    },
  ),
} as const;

/** Runs under the command policies in force; what they block is a result that says so. */
const aroundRequest =
  ({ request, rewritten }: CommandShape): NonNullable<BuiltinDeclaration["around"]> =>
  (task, args, perform) => {
    if (commandPoliciesOf(task).length === 0) return perform(args);
    const asked = request(task, args);
    return underPolicy(task, asked, (changed) => {
      const words = changed.get("argv");
      const isChanged = changed !== asked && words instanceof List;
      return perform(isChanged ? rewritten(words, args) : args);
    });
  };

/**
 * What is known of a command by its words: whether it only reads. One that was in progress when its run ended is safe to run
 * again when it does, or when the call says so.
 */
export function commandEffect(request: Dict): { inDoubt(): "say" | "park"; onlyReads(): boolean } {
  const onlyReads = (): boolean => readsOnly(judgedRequest(request));
  const inDoubt = (): "say" | "park" => (request.get("idempotent") === true || onlyReads() ? "say" : "park");
  return { inDoubt, onlyReads };
}

const commandEffectChecks = ({
  request,
}: CommandShape): Pick<BuiltinDeclaration, "inDoubt" | "onlyReads"> => ({
  inDoubt: (task, ...args) => commandEffect(request(task, args)).inDoubt(),
  onlyReads: (task, ...args) => commandEffect(request(task, args)).onlyReads(),
});

const outcome = "`{stdout, stderr, status, success}`; `status` is -1 when a signal ended it.";
const shared = {
  effect: "write" as const,
  deferred: true,
  suspends: "may" as const,
  capability: "process",
};

export const processes = defineBuiltins("processes", {
  exec: {
    ...shared,
    around: aroundRequest(shapes.program),
    ...commandEffectChecks(shapes.program),
    doc: `Runs a program with its arguments, without a shell: ${outcome}`,
    sig: "(command: string, ...args: any) -> dict",
    resultKeys: () => execKeys,
    otherKeys: () => ranOtherKeys,
    run: (task, command: Argument, ...args: Value[]) => {
      if (textOf(command) === "") throw thrown("exec: command is required");
      return executeProcess(task, textOf(command), args.map(display));
    },
  },
  exec_at: {
    ...shared,
    around: aroundRequest(shapes.programAt),
    ...commandEffectChecks(shapes.programAt),
    doc: `Runs a program in a folder, without a shell: ${outcome}`,
    sig: "(directory: string, command: string, ...args: any) -> dict",
    resultKeys: () => execKeys,
    otherKeys: () => ranOtherKeys,
    run: (task, directory: Argument, command: Argument, ...args: Value[]) => {
      if (textOf(directory) === "" || textOf(command) === "") {
        throw thrown("exec_at: directory and command are required");
      }
      return executeProcess(task, textOf(command), args.map(display), hostPath(task, directory));
    },
  },
  shell: {
    ...shared,
    around: aroundRequest(shapes.line),
    ...commandEffectChecks(shapes.line),
    doc: `Runs a line in the shell: ${outcome}`,
    sig: "(command: string) -> dict",
    resultKeys: () => execKeys,
    otherKeys: () => ranOtherKeys,
    run: (task, command: Argument) => {
      if (textOf(command) === "") throw thrown("shell: command string is required");
      return executeProcess(task, ...shellCommand(task, textOf(command)));
    },
  },
  shell_at: {
    ...shared,
    around: aroundRequest(shapes.lineAt),
    ...commandEffectChecks(shapes.lineAt),
    doc: `Runs a line in the shell, in a folder: ${outcome}`,
    sig: "(directory: string, command: string) -> dict",
    resultKeys: () => execKeys,
    otherKeys: () => ranOtherKeys,
    run: (task, directory: Argument, command: Argument) => {
      if (textOf(directory) === "" || textOf(command) === "") {
        throw thrown("shell_at: directory and command string are required");
      }
      return executeProcess(task, ...shellCommand(task, textOf(command)), hostPath(task, directory));
    },
  },
  exec_opts: {
    ...shared,
    around: aroundRequest(shapes.list),
    ...commandEffectChecks(shapes.list),
    doc: "Runs `[program, …arguments]` with `env`, `env_mode` (merge or replace), `cwd`, `stdin`, `timeout`; `idempotent: true`: a resume may run it again.",
    sig: "(command: list<string>, options?: dict) -> dict",
    fields: { options: () => processFields },
    resultKeys: () => timedKeys,
    otherKeys: () => ranOtherKeys,
    run: async (task, command: Argument, options: Argument) => {
      const [program, ...args] = needArgv("exec_opts", command);
      const read = processOptions(task, optionsOf("exec_opts", options, processFields));
      const { result, ms } = await timed(task, { program, args, options: read });
      return resultDict(result, { timed_out: result.timedOut, duration_ms: ms });
    },
  },
  spawn_captured: {
    ...shared,
    around: aroundRequest(shapes.request),
    ...commandEffectChecks(shapes.request),
    doc: "Runs `{cmd, args, cwd, env, stdin, timeout_ms, idempotent}`: `{stdout, stderr, exit_code, success, timed_out, duration_ms}`.",
    sig: "(request: dict) -> dict",
    fields: { request: () => capturedFields },
    resultKeys: () => timedKeys,
    otherKeys: () => ranOtherKeys,
    run: async (task, request: Argument) => {
      const read = optionsOf("spawn_captured", request, capturedFields);
      if (read.cmd === "") throw thrown("spawn_captured: cmd is required");
      const args = (read.args?.toArray() ?? []).map(display);
      const command = { program: read.cmd, args, options: processOptions(task, read) };
      const { result, ms } = await timed(task, command);
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
