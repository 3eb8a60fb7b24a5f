/**
 * Citations of the reference in comments: `language.md §12.1`, `builtins.md §2.8 and §2.9`, `agents.md §8`, and of other
 * pages: `docs/resume.md`. They lead to headings of `docs/reference/`, or to files of the project.
 */
export type Page = "language" | "builtins" | "agents";

export interface Citation {
  readonly page: Page;
  /** `12.1` */
  readonly section: string;
}

const section = String.raw`§\s?\d+(?:\.\d+)*`;
const cited = new RegExp(
  String.raw`\b(language|builtins|agents)(?:\.md)?,? (${section}(?:(?:, | and |; |–|-| or |\/)(?:§\s?)?\d+(?:\.\d+)*(?![\w.]*\w))*)`,
  "g",
);

/** Comments go on over lines; citations in them, too. */
const joined = (text: string): string => text.replaceAll(/\n\s*(?:\*|\/\/)? ?/g, " ");

/** Every section of the reference that a text names. */
export function citationsIn(text: string): Citation[] {
  return [...joined(text).matchAll(cited)].flatMap(([, page, sections = ""]) =>
    [...sections.matchAll(/\d+(?:\.\d+)*/g)].map(([number]) => ({ page: page as Page, section: number })),
  );
}

/** Numbers of the headings of a page. */
export const headingsOf = (page: string): ReadonlySet<string> =>
  new Set([...page.matchAll(/^#+ (\d+(?:\.\d+)*)\.? /gm)].map(([, number = ""]) => number));

/** Pages of the project that comments of a text name: `docs/resume.md`. */
export const pagesIn = (text: string): string[] =>
  text
    .split("\n")
    .filter((line) => /^\s*(?:\*|\/\*|\/\/)/.test(line))
    .flatMap((line) => [...line.matchAll(/\bdocs\/[\w/-]+\.md\b/g)].map(([path]) => path));

/** Documents that readers of the project do not have: what they say is in `docs/`. */
export const elsewhere = (text: string): string[] =>
  [
    ...text.matchAll(
      /\breference\/(?!language|builtins|agents|agent-loop\.|loop-cases|errors|environment|cli)[a-z-]+\.(?:md|txt)|\b(?:decisions|amendments|design|redesign)\.md\b|\b[aA]mendments? [LAB]\d+/g,
    ),
  ].map(([words]) => words);
