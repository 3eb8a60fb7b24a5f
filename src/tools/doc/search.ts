/** `harn doc --search WORDS`: what speaks of something, where its name is not known: words of the language, builtins, modules, options. */
import { type BuiltinTable, docText, type Field } from "../../table/index.ts";
import { languageWords } from "./language-words.ts";
import type { ModuleDoc } from "./modules.ts";
import { optionRows } from "./options.ts";

interface SearchEntry {
  /** What `harn doc` shows it by. */
  readonly name: string;
  /** After the name. */
  readonly kind: string;
  readonly doc: string;
  /** Also looked through, for less. */
  readonly more?: string;
}

const maxShown = 25;

/**
 * The entries in which every word of the query stands, in the name or the text, the best first; where there is none, those that
 * have the most of the words, if that is more than half. Ends with a line break. `undefined` when there is none of these either.
 */
export function searchDocs(
  query: string,
  table: BuiltinTable,
  modules: readonly ModuleDoc[],
): string | undefined {
  const wanted = [...new Set(query.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [])];
  if (wanted.length === 0) return undefined;
  const rated = entriesOf(table, modules).map((entry) => ({ entry, ...entryPoints(entry, wanted) }));
  const most = Math.max(...rated.map(({ words }) => words));
  if (most <= wanted.length / 2) return undefined;
  // Sorting is stable: among equals the order of the entries stays.
  const found = rated.filter(({ words }) => words === most).sort((a, b) => b.points - a.points);
  const partial = most < wanted.length ? ["nothing has all of these words; these have most of them:"] : [];
  const lines = found
    .slice(0, maxShown)
    .map(({ entry: { name, kind, doc } }) => `${name}  (${kind})\n    ${headSentence(doc)}`);
  const rest = found.length - maxShown;
  const more = rest > 0 ? [`… and ${rest} more; another word narrows it down`] : [];
  return `${[...partial, ...lines, ...more].join("\n")}\n`;
}

function entriesOf(table: BuiltinTable, modules: readonly ModuleDoc[]): SearchEntry[] {
  const builtins = [...table.values()];
  // Tables of options are shared: each row counts where people know it from, else where it comes first.
  const known = [table.get("llm_call") ?? [], table.get("agent_loop") ?? []].flat();
  const withOptions = new Set([...known, ...builtins]);
  const seen = new Set<Field>();
  return [
    ...languageWords.flatMap(({ words, forms, doc }) =>
      words.map((name) => ({ name, kind: "language", doc, more: forms.join(" ") })),
    ),
    ...builtins.map(({ name, area, doc }) => ({ name, kind: area, doc, more: area })),
    ...modules.map(({ name, about }) => ({ name, kind: "module", doc: about.replace(/^std\/\S+: /, "") })),
    ...modules.flatMap((module) =>
      module.functions
        .filter(({ from }) => from === undefined)
        .map(({ name, doc }) => ({ name, kind: module.name, doc: docText(doc) })),
    ),
    ...[...withOptions].flatMap((spec) =>
      optionRows(spec).flatMap(({ path, row }) => {
        if (seen.has(row)) return [];
        seen.add(row);
        return [{ name: `${spec.name}.${path}`, kind: "option", doc: row.doc }];
      }),
    ),
  ];
}

/** How many of the words stand in an entry, and how prominently. */
function entryPoints(
  { name, doc, more = "" }: SearchEntry,
  wanted: readonly string[],
): { words: number; points: number } {
  const whole = name.toLowerCase();
  // Of `agent_loop.llm_retries` the last part is the name proper.
  const own = new Set(whole.split(/[./]/).at(-1)!.split("_"));
  const text = doc.toLowerCase();
  const first = headSentence(text);
  let words = 0;
  let sum = 0;
  for (const word of wanted) {
    const points =
      whole === word ? 100
      : own.has(word) ? 50
      : whole.includes(wordStem(word)) ? 25
      : first.includes(wordStem(word)) ? 12
      : text.includes(wordStem(word)) || more.toLowerCase().includes(wordStem(word)) ? 5
      : 0; // biome-ignore format: a table
    if (points > 0) words++;
    sum += points;
  }
  return { words, points: sum };
}

/** `retries` finds `retry`, `files` finds `file`. */
const wordStem = (word: string): string =>
  word.length > 4 ? word.replace(/(?:ies|ing|es|ed|s|y)$/, "") : word;

/** The first sentence of the first paragraph, on one line. */
const headSentence = (doc: string): string =>
  doc
    .split(/\n\s*\n/, 1)[0]!
    .replace(/\s+/g, " ")
    .trim()
    .split(/(?<=[.!?]) /, 1)[0]!;
