/**
 * `docs/builtins.md` from the builtin table: `npm run docs`. With `--check` it only compares and fails when the page
 * is out of date.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { builtinTable } from "../src/builtins/index.ts";
import type { BuiltinSpec, EffectClass } from "../src/table/index.ts";

export const referencePath: string = fileURLToPath(new URL("../docs/builtins.md", import.meta.url));

/** What a reader wants to know about a class. */
const classes: Readonly<Record<EffectClass, string>> = {
  pure: "",
  state: "changes the run's own state",
  observe: "looks outside, recorded",
  read: "reads outside, recorded",
  write: "changes something outside, recorded before and after",
  model: "calls a model, recorded",
  human: "asks a person, recorded",
};

const anchorOf = (name: string): string => name.toLowerCase();

function entry({ name, sig, doc, effect, capability, example }: BuiltinSpec): string {
  const notes = [classes[effect], capability === undefined ? "" : `needs \`${capability}\``].filter(Boolean);
  const lines = [`### ${name}`, "", "```harn", `${name}${sig}`, "```", "", doc];
  if (notes.length > 0) lines.push("", `*Effect: ${notes.join("; ")}.*`);
  if (example !== undefined) lines.push("", "```harn", example, "```");
  return lines.join("\n");
}

/** The whole page. */
export function referencePage(specs: Iterable<BuiltinSpec> = builtinTable().values()): string {
  const areas = new Map<string, BuiltinSpec[]>();
  for (const spec of specs) {
    const area = areas.get(spec.area);
    if (area === undefined) areas.set(spec.area, [spec]);
    else area.push(spec);
  }
  const index = [...areas].map(([area, members]) => {
    const links = members.map(({ name }) => `[${name}](#${anchorOf(name)})`);
    return `- **${area}**: ${links.join(", ")}`;
  });
  const sections = [...areas].map(([area, members]) => [`## ${area}`, ...members.map(entry)].join("\n\n"));
  const count = [...areas.values()].reduce((sum, members) => sum + members.length, 0);
  return [
    "<!-- Made by `npm run docs` from the builtin table. Don't edit. -->",
    "# Builtin functions",
    `${count} functions that every program has, without an import. Arguments with a default or a \`?\` may be left out. ` +
      "What a recorded run does with a function is its effect; one without a note has none.",
    index.join("\n"),
    ...sections,
    "",
  ]
    .join("\n\n")
    .trimEnd()
    .concat("\n");
}

function main(): void {
  const page = referencePage();
  if (!process.argv.includes("--check")) {
    writeFileSync(referencePath, page);
    return;
  }
  if (readFileSync(referencePath, "utf8") === page) return;
  console.error("docs/builtins.md is out of date: run `npm run docs`");
  process.exitCode = 1;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) main();
