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

/** So many flags that an earlier command has, with the same words, are named and not described again. */
const manyFlags = 4;

/** A flag or argument as a row of its command's table. */
interface UsageRow {
  readonly usage: string;
  readonly text: string;
}

/** `shown`: the text of a row ▸ the command that had it first. */
function usageTable(name: string, rows: readonly UsageRow[], shown: Map<string, string>): string[] {
  const groups = Map.groupBy(rows, ({ text }) => shown.get(text) ?? name);
  for (const { text } of rows) if (!shown.has(text)) shown.set(text, name);
  const elsewhere = [...groups].filter(([where, group]) => where !== name && group.length >= manyFlags);
  const pointed = new Set(elsewhere.flatMap(([, group]) => group));
  const own = rows.filter((row) => !pointed.has(row));
  const table = ["| argument or flag | what it is |", "|---|---|", ...own.map(({ text }) => text)];
  return [
    ...(own.length === 0 ? [] : [table.join("\n")]),
    ...elsewhere.map(([where, group]) => {
      const flags = group.map(({ usage }) => `\`${usage.replace(/,? .*$/, "")}\``);
      return `And as for [harn ${where}](#harn-${where.replaceAll(" ", "-")}): ${flags.join(" ")}.`;
    }),
  ];
}

function commandPart(
  { name, summary, args, flags, examples = [], isDefault }: Command,
  shown: Map<string, string>,
): string {
  const line = ["harn", name, ...args.map(([usage]) => usage)].join(" ");
  const rows = [
    ...args.map(([usage, doc]) => [usage, doc] as const),
    ...Object.entries(flags).map(([key, flag]) => [flagUsage(key, flag), flag.doc] as const),
  ].map(([usage, doc]) => ({ usage, text: `| \`${escapedCell(usage)}\` | ${escapedCell(doc)} |` }));
  const family = name.slice(0, name.lastIndexOf(" "));
  return [
    `## harn ${name}`,
    `${summary}${isDefault === true ? ` \`harn ${family}\` alone does this.` : ""}`,
    ["```text", line, "```"].join("\n"),
    ...usageTable(name, rows, shown),
    ...(examples.length === 0 ? [] : ["Examples:", ["```sh", ...examples, "```"].join("\n")]),
  ].join("\n\n");
}

/** The page of all commands that are not hidden. */
export function cliPage(rows: readonly Command[]): string {
  const shown = new Map<string, string>();
  return `${[
    "<!-- Made by `npm run docs` from the table of commands (`src/cli/commands/`). Don't edit. -->",
    "# The command line",
    "Every command with its arguments and flags; `harn help COMMAND` shows the same. What stands after `--` belongs to the script. " +
      "Durations are texts such as `500ms`, `90s`, `5m` or `1h30m`, and a number alone means seconds. Exit code 2: the command line " +
      "makes no sense.",
    ...rows.filter(({ hidden }) => hidden !== true).map((row) => commandPart(row, shown)),
  ].join("\n\n")}\n`;
}

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
