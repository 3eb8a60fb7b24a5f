/** What the table of commands makes of pages: `docs/reference/cli.md`, and the table in the README. */
import type { Flag } from "../../host/command/flags.ts";
import { flagName } from "../../host/command/flags.ts";
import type { Command } from "./command.ts";

const escapedCell = (text: string): string => text.replaceAll(/(?<!\\)\|/g, "\\|");

/** `-q, --quiet`, `--seed TEXT`; with a form that turns it off. */
export function flagUsage(key: string, { value, short, shortOnly, off, bare }: Flag): string {
  const name = flagName(key);
  const without = off === undefined ? [] : [`--no-${name.slice(2)}`];
  if (off !== undefined && value === undefined) return without.join("");
  const shown = value === undefined ? "" : bare === true ? ` [${value}]` : ` <${value}>`;
  const names = [...(short === undefined ? [] : [short]), ...(shortOnly === true ? [] : [name])].join(", ");
  return [`${names}${shown}`, ...without].join(", ");
}

function commandPart({ name, summary, args, flags, examples = [], isDefault }: Command): string {
  const line = ["harn", name, ...args.map(([usage]) => usage)].join(" ");
  const rows = [
    ...args.map(([usage, doc]) => [usage, doc] as const),
    ...Object.entries(flags).map(([key, flag]) => [flagUsage(key, flag), flag.doc] as const),
  ];
  const family = name.slice(0, name.lastIndexOf(" "));
  return [
    `## harn ${name}`,
    `${summary}${isDefault === true ? ` \`harn ${family}\` alone does this.` : ""}`,
    ["```text", line, "```"].join("\n"),
    ...(rows.length === 0
      ? []
      : [
          [
            "| argument or flag | what it is |",
            "|---|---|",
            ...rows.map(([what, doc]) => `| \`${escapedCell(what)}\` | ${escapedCell(doc)} |`),
          ].join("\n"),
        ]),
    ...(examples.length === 0 ? [] : ["Examples:", ["```sh", ...examples, "```"].join("\n")]),
  ].join("\n\n");
}

/** The page of all commands that are not hidden. */
export const cliPage = (rows: readonly Command[]): string =>
  `${[
    "<!-- Made by `npm run docs` from the table of commands (`src/cli/commands/`). Don't edit. -->",
    "# The command line",
    "Every command with its arguments and flags; `harn help COMMAND` shows the same. What stands after `--` belongs to the script. " +
      "Durations are texts such as `500ms`, `90s`, `5m` or `1h30m`, and a number alone means seconds. Exit code 2: the command line " +
      "makes no sense.",
    ...rows.filter(({ hidden }) => hidden !== true).map(commandPart),
  ].join("\n\n")}\n`;

/** The rows of the table in the README. */
export const readmeRows = (rows: readonly Command[]): string =>
  rows
    .flatMap(({ readme = [] }) => readme)
    .map(([line, does]) => `| ${line} | ${does} |\n`)
    .join("");

const readmeTable = /(?<=\n\|---\|---\|\n)(?:\| `harn .*\n)+?(?=\| `harn help )/;

/** The README with the rows that the table of commands has. */
export const readmeWith = (text: string, rows: readonly Command[]): string =>
  text.replace(readmeTable, () => readmeRows(rows));
