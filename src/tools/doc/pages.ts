/** Pages made from rows: the sections of `harn.toml`. */
import type { FieldTable } from "../../table/index.ts";
import { fieldsTable } from "./options.ts";

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
