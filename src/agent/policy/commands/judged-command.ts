/** A command as rules see it: the line that was asked for, every command in it, and what that might do. */
import { type Argument, display, List, option, textOf } from "../../../values/index.ts";
import { type CommandInput, commandsIn, type FoundCommand, programName } from "./command-words.ts";
import { type CommandRisk, riskOf } from "./risk.ts";

export interface JudgedCommand {
  /** As it was asked for: words joined by a blank. */
  readonly line: string;
  readonly commands: readonly FoundCommand[];
}

/** The program with its arguments, without the folder it lies in. */
export const commandText = ({ words: [program = "", ...rest] }: FoundCommand): string =>
  [programName(program), ...rest].join(" ");

/** What a request would run (`shapedCommand` of the builtins): its words, or its line for a shell. */
export function judgedRequest(request: Argument): JudgedCommand {
  const input = option(request, "stdin");
  const stdin = input === undefined ? undefined : textOf(input);
  const argv = option(request, "mode") === "shell" ? undefined : option(request, "argv");
  if (!(argv instanceof List))
    return judged({ kind: "line", line: textOf(option(request, "command")), stdin });
  return judged({ kind: "argv", words: argv.toArray().map((part) => display(part)), stdin });
}

export function judged(asked: CommandInput): JudgedCommand {
  const line = asked.kind === "line" ? asked.line : asked.words.join(" ");
  return { line, commands: commandsIn(asked) };
}

/** The risks of all that would run. */
export function riskOfCommand({ line, commands }: JudgedCommand): CommandRisk {
  const lines = [line, ...commands.map(({ words }) => words.join(" ")), ...commands.map(commandText)];
  return riskOf([...new Set(lines)].join("\n"), {
    unknown: commands.some(({ unknown }) => unknown),
    code: commands.some(({ isCode }) => isCode === true),
  });
}
