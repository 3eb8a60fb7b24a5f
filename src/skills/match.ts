/**
 * Which skills fit what was asked (agents.md §15.3): counted words, the skill's name, globs over files. Fast and the
 * same on every run; hosts that know better answer in its place.
 *
 *     h words in common   h / (h + 1.5)        its name in the prompt   + 2        each path glob that fits   + 1.5
 */

import { bm25Words } from "../model/index.ts";
import { compareTexts, type Dict, nameMatches, pathMatches, textField } from "../values/index.ts";

import { skillList, skillName } from "./skill-entries.ts";

export interface Candidate {
  readonly name: string;
  readonly score: number;
  /** `2 keyword hit(s); prompt mentions 'ship'` */
  readonly reason: string;
  /** What weighed most: `name`, `paths`, `keywords`; `host`. */
  readonly trigger: string;
}

/** The skills that fit at all, best first. Those that a model may not use are no candidates. */
export function matchSkills(
  entries: readonly Dict[],
  prompt: string,
  workingFiles: readonly string[],
): Candidate[] {
  const words = keywordsOf(prompt);
  const files = [...new Set([...workingFiles, ...pathsIn(prompt)])];
  const found = entries
    .filter((entry) => entry.get("disable_model_invocation") !== true)
    .map((entry) => score(entry, prompt, words, files))
    .filter((candidate) => candidate.score > 0);
  return ranked(found);
}

/** By score, then by name. */
export function ranked(candidates: readonly Candidate[]): Candidate[] {
  return [...candidates].sort((a, b) => b.score - a.score || compareTexts(a.name, b.name));
}

function score(entry: Dict, prompt: string, words: ReadonlySet<string>, files: readonly string[]): Candidate {
  const name = skillName(entry);
  const own = keywordsOf(`${name} ${textField(entry, "description")} ${textField(entry, "when_to_use")}`);
  const hits = [...own].filter((word) => words.has(word)).length;
  const named = mentions(prompt, name);
  const globs = (skillList(entry, "paths") ?? []).filter((glob) => files.some((file) => fits(glob, file)));
  const reasons = [
    hits > 0 ? `${hits} keyword hit(s)` : "",
    named ? `prompt mentions '${name}'` : "",
    globs.length > 0 ? `${globs.length} path glob(s) matched` : "",
  ];
  return {
    name,
    score: (hits > 0 ? hits / (hits + 1.5) : 0) + (named ? 2 : 0) + 1.5 * globs.length,
    reason: reasons.filter((reason) => reason !== "").join("; "),
    trigger: globs.length > 0 && !named ? "paths" : named ? "name" : "keywords",
  };
}

/** A glob without a folder is about the file's name wherever it lies. */
function fits(glob: string, file: string): boolean {
  const base = file.slice(file.lastIndexOf("/") + 1);
  return pathMatches(glob, file.replace(/^\.\//, "")) || (!glob.includes("/") && nameMatches(glob, base));
}

/** The name as a word of its own, whatever its case. */
function mentions(prompt: string, name: string): boolean {
  const text = prompt.toLowerCase();
  const wanted = name.toLowerCase();
  if (wanted === "") return false;
  for (let at = text.indexOf(wanted); at !== -1; at = text.indexOf(wanted, at + 1)) {
    const before = text[at - 1] ?? " ";
    const after = text[at + wanted.length] ?? " ";
    if (!letter.test(before) && !letter.test(after)) return true;
  }
  return false;
}

const letter = /[\p{L}\p{N}_]/u;
const path = /[\w.~-]*[/.][\w./~-]*\w/g;
const pathsIn = (prompt: string): string[] => prompt.match(path) ?? [];

const stopWords: ReadonlySet<string> = new Set(
  (
    "about after all also and any are but can could did does for from get had has have her here him his how into its " +
    "just let may more must not now off only other our out over please should some such than that the their them then " +
    "there these they this those too use user using was were what when where which who will with would you your"
  ).split(" "),
);

/** Lower-case words of more than two letters or digits that mean something. */
function keywordsOf(text: string): Set<string> {
  return new Set(bm25Words(text).filter((word) => word.length > 2 && !stopWords.has(word)));
}
