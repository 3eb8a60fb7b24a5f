/** Pages made from rows: the sections of `harn.toml`, the codes of errors, the variables of the environment. */
import { type CodeWords, explain } from "../../diagnostics/index.ts";
import type { ProviderSpec } from "../../model/index.ts";
import type { FieldTable } from "../../table/index.ts";
import { fieldsTable } from "./option-tables.ts";

const madeFrom = (what: string): string => `<!-- Made by \`npm run docs\` from ${what}. Don't edit. -->`;

/** `docs/manifest.md`: every section of `harn.toml`; `unread` names those that nothing reads, and why. */
export function manifestPage(sections: FieldTable, unread: ReadonlyMap<string, string>): string {
  const parts = sections.rows.map((row) => {
    const form = row.type.startsWith("list") ? `[[${row.name}]]` : `[${row.name}]`;
    const table = row.nested === undefined ? [] : ["", ...fieldsTable(`in \`${form}\``, row.nested)];
    const map = row.type.startsWith("dict<string,")
      ? ` One entry for each name: \`[${row.name}]\` \`NAME = …\`.`
      : "";
    const strict = row.bounds === true ? " What nothing knows in it is an error." : "";
    return [`## ${form}`, "", `${row.doc}${map}${strict}`, ...table].join("\n");
  });
  const nobody = [...unread].map(([name, why]) => `* \`[${name}]\`: ${why}.`);
  return `${[
    madeFrom("the rows of `src/manifest/manifest-fields.ts`"),
    "# harn.toml",
    "The manifest of a project lies beside its programs, or in a folder above them. `harn check` fails of sections and keys that nothing " +
      "reads, and of values of a wrong type; a run warns of them before it begins. Where a row says strict, a run does not begin either. " +
      "Keys that begin with `_` are your own notes.",
    ...parts,
    `## Sections that nothing reads\n\n${nobody.join("\n")}`,
  ].join("\n\n")}\n`;
}

/** `docs/reference/errors.md`: every code with its message, what it means and what to do. */
export function errorsPage(codes: Iterable<string>): string {
  const sections = new Map<string, string[]>();
  for (const code of codes) {
    const words = explain(code);
    if (words === undefined) continue;
    const family = code.split("-")[1] ?? "";
    sections.set(family, [...(sections.get(family) ?? []), codeSection(words)]);
  }
  return `${[
    madeFrom("the catalogue in `src/diagnostics/catalogue/`"),
    "# Errors",
    "Every error and warning has a code: `harn explain CODE` says in a terminal what stands here. Words in capitals stand for what a message " +
      "is about. Where a message is the program's own, the heading says what it means.",
    ...[...sections].map(([family, parts]) => [`## ${family}`, ...parts].join("\n\n")),
  ].join("\n\n")}\n`;
}

function codeSection({ code, severity, title, text, advice }: CodeWords): string {
  const paragraphs = text.split("\n").map(escaped);
  const help = advice === undefined ? [] : [`What to do: ${escaped(advice)}`];
  return [`### ${code}`, `${severity}: ${escaped(title)}`, ...paragraphs, ...help].join("\n\n");
}

type Descriptions = Readonly<Record<string, string>>;

/** `docs/reference/environment.md`: every variable of the environment that the runtime reads. */
export function environmentPage(
  groups: Readonly<Record<string, Descriptions>>,
  providers: readonly ProviderSpec[],
): string {
  const cells = (names: readonly string[]): string => names.map((name) => `\`${name}\``).join(", ");
  const rows = providers.map(
    ({ name, auth_env, base_url_env, model_env }) =>
      `| ${name} | ${cells(auth_env)} | ${cells(base_url_env)} | ${cells(model_env === null ? [] : [model_env])} |`,
  );
  return `${[
    madeFrom("`src/process/environment.ts` and the providers of the catalogue"),
    "# Variables of the environment",
    "What the runtime reads of the environment. Flags of a command come before them, `harn.toml` after them. What a program reads by `env(NAME)` " +
      "is its own business.",
    ...Object.entries(groups).map(([title, variables]) =>
      [
        `## ${title}\n`,
        "| variable | |",
        "|---|---|",
        ...Object.entries(variables).map(([name, doc]) => `| \`${name}\` | ${doc} |`),
      ].join("\n"),
    ),
    ["## Providers of models\n", "| provider | key | address | model |", "|---|---|---|---|", ...rows].join(
      "\n",
    ),
  ].join("\n\n")}\n`;
}

/** Signs of HTML outside of code would be tags of the site. */
const escaped = (text: string): string =>
  text
    .split(/(`[^`]*`)/)
    .map((part, at) =>
      at % 2 === 1 ? part : part.replaceAll("<", "&lt;").replaceAll("*", "\\*").replaceAll("[", "\\["),
    )
    .join("");
