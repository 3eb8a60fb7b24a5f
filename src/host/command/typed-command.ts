/** What people type to do something next, or write in a program. */
import { callerWords } from "../../process/index.ts";
import { ownExecutable } from "./shipped-files.ts";

/** In an executable the first argument of a command line of harn: all others are the program's. */
export const commandLineMark = "--harn";

/** `harn WORDS`; what does the same in an executable of `harn build`, or in a program. */
export function typedCommand(words: string): string {
  if (ownExecutable() === undefined) return callerWords().command(words);
  const [, ownProgram] = /^run (.*)$/.exec(words) ?? [];
  return `${typedCommandName()} ${ownProgram ?? `${commandLineMark} ${words}`}`;
}

/** The executable as it was called. */
export const typedCommandName = (): string => process.argv[1] ?? process.execPath;
