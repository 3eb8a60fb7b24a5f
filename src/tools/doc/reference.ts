/** What people read about builtins, made from the one table: the reference page, and the entry of one name. */

import { nearest } from "../../diagnostics/index.ts";
import type { EffectClass } from "../../effects/index.ts";
import type { BuiltinSpec, BuiltinTable } from "../../table/index.ts";
import { ShownOptions } from "./option-tables.ts";
import { optionsHelp } from "./options.ts";

/** What a reader wants to know about a class; nothing about the harmless one. */
const classes: Readonly<Record<EffectClass, string>> = {
  pure: "",
  state: "changes the run's own state",
  observe: "looks outside, recorded",
  read: "reads outside, recorded",
  write: "changes something outside, recorded before and after",
  model: "calls a model, recorded",
  human: "asks a person, recorded",
};

const legend = Object.entries(classes)
  .filter(([, words]) => words !== "")
  .map(([effect, words]) => `\`${effect}\` ${words}`)
  .join("; ");

const headingAnchor = (name: string): string => name.toLowerCase();

function pageEntry(spec: BuiltinSpec, shown: ShownOptions): string {
  const { name, sig, doc, effect, capability, mayNeed, example } = spec;
  const notes = [
    classes[effect] === "" ? "" : effect,
    capability === undefined ? "" : `needs \`${capability}\``,
    mayNeed === undefined ? "" : `may need \`${mayNeed}\``,
  ].filter(Boolean);
  const lines = [`### ${name}`, "", "```harn signature", `${name}${sig}`, "```", "", doc];
  if (notes.length > 0) lines.push("", `*Effect: ${notes.join("; ")}.*`);
  lines.push(...shown.optionsPage(spec));
  if (example !== undefined) lines.push("", "```harn", example, "```");
  return lines.join("\n");
}

function byArea(specs: Iterable<BuiltinSpec>): Map<string, BuiltinSpec[]> {
  const areas = new Map<string, BuiltinSpec[]>();
  for (const spec of specs) {
    const area = areas.get(spec.area);
    if (area === undefined) areas.set(spec.area, [spec]);
    else area.push(spec);
  }
  return areas;
}

/** The whole page, in Markdown. `shown`: what other pages have. */
export function referencePage(specs: Iterable<BuiltinSpec>, shown = new ShownOptions()): string {
  const areas = byArea(specs);
  const index = [...areas].map(([area, members]) => {
    const links = members.map(({ name }) => `[${name}](#${headingAnchor(name)})`);
    return `- **${area}**: ${links.join(", ")}`;
  });
  const sections = [...areas].map(([area, members]) =>
    [`## ${area}`, ...members.map((spec) => pageEntry(spec, shown))].join("\n\n"),
  );
  const count = [...areas.values()].reduce((sum, members) => sum + members.length, 0);
  return [
    "<!-- Made by `npm run docs` from the builtin table. Don't edit. -->",
    "# Builtin functions",
    `${count} functions that every program has, without an import. Arguments with a default or a \`?\` may be left out. ` +
      `What a recorded run does with a function is its effect; one without a note has none: ${legend}. Unknown keys of options are warned of; ` +
      "where a row says strict (misspelt, or inside), they are errors.",
    index.join("\n"),
    ...sections,
    "",
  ]
    .join("\n\n")
    .trimEnd()
    .concat("\n");
}

/** One builtin for a terminal: signature, what it does, effect, example. Ends with a line break. */
export function builtinText(spec: BuiltinSpec): string {
  const { name, sig, doc, effect, capability, mayNeed, example, area } = spec;
  const facts = [
    `area: ${area}`,
    `effect: ${effect}${classes[effect] === "" ? "" : ` (${classes[effect]})`}`,
    ...(capability === undefined ? [] : [`needs: ${capability}`]),
    ...(mayNeed === undefined ? [] : [`may need: ${mayNeed}`]),
  ];
  const shown =
    example === undefined ? [] : ["", "example:", ...example.split("\n").map((line) => `  ${line}`)];
  return [`${name}${sig}`, "", doc, "", ...facts, ...optionsHelp(spec), ...shown, ""].join("\n");
}

/** The builtins of one area as a list of signatures; `undefined` when there is no such area. */
export function areaText(area: string, table: BuiltinTable): string | undefined {
  const members = byArea(table.values()).get(area);
  if (members === undefined) return undefined;
  const lines = members.map(({ name, sig, doc }) => `${name}${sig}\n    ${doc.split("\n", 1)[0]}`);
  return `${area}: ${members.length} builtins\n\n${lines.join("\n")}\n`;
}

/** Names that somebody may have meant: the nearest one, then those that contain what was asked for. */
export function nameSuggestions(name: string, table: BuiltinTable): string[] {
  const near = nearest(name, table.keys());
  const wanted = name.toLowerCase();
  const containing = wanted.length < 3 ? [] : [...table.keys()].filter((key) => key.includes(wanted)).sort();
  return [...new Set([...(near === undefined ? [] : [near]), ...containing])].slice(0, 8);
}
