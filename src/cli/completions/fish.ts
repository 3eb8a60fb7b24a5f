/** Completions for fish. */
import { type FlagWords, flagsWithValue, type Place } from "./places.ts";

/** A text for the shell as it stands. */
const quoted = (text: string): string => `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;

const list = (texts: readonly string[]): string => texts.map(quoted).join(" ");

function flagLine(path: string, { names, doc, value, choices }: FlagWords): string {
  const named = names.map((name) => (name.startsWith("--") ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`));
  const given = value ? ["-r", ...(choices.length > 0 ? [`-f -a ${quoted(choices.join(" "))}`] : [])] : [];
  return [
    "complete -c harn",
    `-n ${quoted(`__harn_at ${quotedPath(path)}`)}`,
    ...named,
    ...given,
    `-d ${quoted(doc)}`,
  ].join(" ");
}

/** Inside of a condition, which is quoted as a whole. */
const quotedPath = (path: string): string => `"${path}"`;

export function fishText(places: readonly Place[]): string {
  const lines = places.flatMap(({ path, commands, values, flags }) => {
    const words = [...commands, ...values.map((name) => ({ name, doc: "" }))].map(
      ({ name, doc }) =>
        `complete -c harn -n ${quoted(`__harn_at ${quotedPath(path)}`)} -f -a ${quoted(name)} -d ${quoted(doc)}`,
    );
    return [...words, ...flags.map((flag) => flagLine(path, flag))];
  });
  return `# Completions of harn for fish. In ~/.config/fish/config.fish: harn completions fish | source
set -g __harn_commands ${list(places.map(({ path }) => path).filter((path) => path !== ""))}
set -g __harn_valued ${list(flagsWithValue(places))}
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
