/** `harn completions SHELL`: a script for the shell, made from the tree of commands. */
import type { Command } from "commander";
import { exitCode, reportData } from "../../host/command/index.ts";
import { bashText } from "./bash.ts";
import { type CompletionPlace, completionPlaces, type FlagWords, flagsWithValue } from "./places.ts";
import type { ShellName } from "./shells.ts";
import { zshText } from "./zsh.ts";

/** A text for the shell as it stands. */
const fishQuoted = (text: string): string => `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;

const quotedList = (texts: readonly string[]): string => texts.map(fishQuoted).join(" ");

function flagLine(path: string, { names, doc, value, choices }: FlagWords): string {
  const named = names.map((name) => (name.startsWith("--") ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`));
  const argument = value
    ? ["-r", ...(choices.length > 0 ? [`-f -a ${fishQuoted(choices.join(" "))}`] : [])]
    : [];
  return [
    "complete -c harn",
    `-n ${fishQuoted(`__harn_at ${quotedPath(path)}`)}`,
    ...named,
    ...argument,
    `-d ${fishQuoted(doc)}`,
  ].join(" ");
}

/** Inside of a condition, which is quoted as a whole. */
const quotedPath = (path: string): string => `"${path}"`;

function fishText(places: readonly CompletionPlace[]): string {
  const lines = places.flatMap(({ path, commands, values, flags }) => {
    const words = [...commands, ...values.map((name) => ({ name, doc: "" }))].map(
      ({ name, doc }) =>
        `complete -c harn -n ${fishQuoted(`__harn_at ${quotedPath(path)}`)} -f -a ${fishQuoted(name)} -d ${fishQuoted(doc)}`,
    );
    return [...words, ...flags.map((flag) => flagLine(path, flag))];
  });
  return `# Completions of harn for fish. In ~/.config/fish/config.fish: harn completions fish | source
set -g __harn_commands ${quotedList(places.map(({ path }) => path).filter((path) => path !== ""))}
set -g __harn_valued ${quotedList(flagsWithValue(places))}
function __harn_at
    set -l at ""
    set -l value 0
    for word in (commandline -opc)[2..-1]
        if test $value = 1
            set value 0
        else if test "$word" = --
            return 1
        else if contains -- "$at $word" $__harn_valued
            set value 1
        else if contains -- "$at/$word" $__harn_commands
            set at "$at/$word"
        end
    end
    test "$at" = "$argv[1]"
end
complete -c harn -e
${lines.join("\n")}
`;
}

const makers: Readonly<Record<ShellName, (places: readonly CompletionPlace[]) => string>> = {
  bash: bashText,
  zsh: zshText,
  fish: fishText,
};

export function completionsCommand(shell: ShellName, program: Command): number {
  reportData(completionsText(shell, program));
  return exitCode.ok;
}

export const completionsText = (shell: ShellName, program: Command): string =>
  makers[shell](completionPlaces(program));
