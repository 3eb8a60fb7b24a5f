/**
 * How a process of this program is started, the one place that knows: by the launcher that this process was started with, or in an
 * executable of `harn build` by the file itself. A child that talks with its parent is spawned with an `ipc` stream.
 */
import { ownExecutable } from "./command/shipped-files.ts";
import { commandLineMark } from "./command/typed-command.ts";

export interface OwnCommand {
  readonly program: string;
  readonly args: readonly string[];
}

interface OwnCommandOptions {
  /** Where this process was started with something else than `harn`. */
  readonly launcher?: string | undefined;
  /** For Node, besides those of this process. */
  readonly nodeFlags?: readonly string[];
}

/** `harn ARGS` under the same flags of Node as this process. */
export function ownCommand(
  args: readonly string[],
  { launcher = process.argv[1] as string, nodeFlags = [] }: OwnCommandOptions = {},
): OwnCommand {
  const flags = [...process.execArgv, ...nodeFlags];
  const start =
    ownExecutable() === undefined
      ? [...flags, launcher]
      : [`--node-options=${[...new Set(flags)].join(" ")}`, commandLineMark];
  return { program: process.execPath, args: [...start, ...args] };
}
