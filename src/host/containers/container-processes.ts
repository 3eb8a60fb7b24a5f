/**
 * Programs in a container. Ending the client of an engine ends nothing inside, so each program carries a mark in its environment,
 * by which it and its children are found and killed, as programs on this machine are.
 */
import { randomBytes } from "node:crypto";
import {
  HostError,
  type Processes,
  type ProcessOptions,
  type ProcessResult,
  type RunningProgram,
  systemError,
  treeToken,
} from "../index.ts";
import type { Container } from "./container.ts";

/** `$1` folder, `$2` mark of this call, `$3` what must be there; then the program. What can't be started is told with the mark. */
const startLine = `cd "$1" 2>/dev/null || { printf '%s' "$2 folder" >&2; exit 127; }
command -v "$3" >/dev/null 2>&1 || { printf '%s' "$2 program" >&2; exit 127; }
shift 3
exec "$@"`;

const foundLine = 'cd "$1" 2>/dev/null && command -v "$2" >/dev/null 2>&1';

const killLine = `for p in /proc/[0-9]*; do
case "$(cat "$p/environ" 2>/dev/null)" in *"$1"*) kill -9 "\${p#/proc/}" 2>/dev/null;; esac; done; :`;

export function containerProcesses(container: Container): Processes {
  const begin = (program: string, args: readonly string[], options: ProcessOptions) => {
    const mark = randomBytes(12).toString("hex");
    const argv = execArguments(container, { mark, program, args, options });
    const { cwd: _cwd, env: _env, replaceEnv: _replace, onOutput, ...rest } = options;
    const isOwn = (text: string): boolean => text.startsWith(mark);
    const shown: ProcessOptions =
      onOutput === undefined
        ? rest
        : { ...rest, onOutput: (piece) => (isOwn(piece.text) ? undefined : onOutput(piece)) };
    return { mark, argv, shown };
  };
  const kill = (mark: string): void => {
    if (container.lost === null) container.sh(killLine, [`${treeToken}=${mark}`]);
  };
  const ended = (mark: string, result: ProcessResult): ProcessResult => {
    if (result.timedOut || result.truncated) kill(mark);
    if (result.stderr === `${mark} folder` || result.stderr === `${mark} program`)
      throw systemError("ENOENT");
    return container.checked(result);
  };
  return {
    async run(program, args, options = {}) {
      const { mark, argv, shown } = begin(program, args, options);
      try {
        return ended(mark, await container.engine.run(argv, shown));
      } catch (error) {
        if (options.signal?.aborted === true) kill(mark);
        throw error;
      }
    },
    async open(program, args, options = {}): Promise<RunningProgram> {
      const { mark, argv, shown } = begin(program, args, options);
      // What runs on beside its caller is there or not when it begins.
      if (container.sh(foundLine, [folderOf(container, options.cwd), program]).status !== 0)
        throw systemError("ENOENT");
      const running = await container.engine.open(argv, shown);
      const result = running.result.then((one) => ended(mark, one));
      // Whoever asks for the result is told; that nobody asks is no failure.
      result.catch(() => {});
      return {
        pid: running.pid,
        read: (signal) => running.read(signal),
        result,
        close: () => {
          kill(mark);
          running.close();
        },
      };
    },
    // What runs inside ends with the container.
    killAll: () => container.engine.processes.killAll(),
  };
}

const folderOf = ({ workdir }: Container, cwd: string | undefined): string =>
  cwd === undefined ? workdir : cwd.startsWith("/") ? cwd : `${workdir}/${cwd}`;

interface ProcessStart {
  readonly mark: string;
  readonly program: string;
  readonly args: readonly string[];
  readonly options: Pick<ProcessOptions, "cwd" | "env" | "replaceEnv">;
}

/** Arguments of the engine that run a program in the container. */
export function execArguments(
  container: Container,
  { mark, program, args, options }: ProcessStart,
): string[] {
  const { cwd, env, replaceEnv } = options;
  const variables = Object.entries({ ...env, [treeToken]: mark });
  for (const word of [program, ...args, ...variables.flat(), cwd ?? ""])
    if (word.includes("\0")) throw new HostError("EINVAL", "nul byte found in provided data");
  // `command` and `exec` of its shell would take it for an option.
  if (program === "" || program.startsWith("-")) throw systemError("ENOENT");
  const wrong = variables.find(([key]) => key === "" || key.includes("="));
  if (wrong !== undefined) throw new HostError("EINVAL", `a variable can't be called '${wrong[0]}'`);
  const pairs = variables.map(([key, value]) => `${key}=${value}`);
  return [
    "exec",
    "-i",
    ...(replaceEnv === true ? [] : pairs.flatMap((pair) => ["-e", pair])),
    container.name,
    "/bin/sh",
    "-c",
    startLine,
    "sh",
    folderOf(container, cwd),
    mark,
    program,
    ...(replaceEnv === true ? ["env", "-i", ...pairs] : []),
    program,
    ...args,
  ];
}
