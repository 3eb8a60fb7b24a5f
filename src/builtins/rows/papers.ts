/** Rows of papers, library and notes. */
import { type FieldTable, type Rows, row, rows } from "../../table/index.ts";
import type { List, Value } from "../../values/index.ts";

/** A misspelt name is an error: whoever passes `version` relies on nothing being overwritten. */
const rowsOf = <const R extends Rows>(make: () => R) => rows(make, { strict: true });

const limit = (usual: number) => row.int("How many at most.", null, { min: 1, max: 1000 }).or(usual);

/** A section of an outline; those in `sections` are like it. */
export const outlineFields: FieldTable = rows(
  () => ({
    id: row.text("A section that is there; without one it is made."),
    title: row.text("Its heading."),
    summary: row.text("What is to stand in it."),
    sections: row.handle<Value>("list<dict>", "The sections in it.").with({ nested: outlineFields }),
  }),
  { strict: true },
);

const aboutRows = () => ({
  authors: row.list(row.text(), "Names, as they are to be printed."),
  abstract: row.text("Markdown."),
  language: row.text("A language tag.", "en"),
  citation_style: row.oneOf(["numeric", "author-year"], "How citations look."),
});

export const paperFields = rowsOf(() => ({
  ...aboutRows(),
  outline: row.handle<List>("list<dict>", "Its first sections.").with({ nested: outlineFields }),
}));

export const paperSetFields = rowsOf(() => ({
  title: row.text("Its title."),
  ...aboutRows(),
  state: row.oneOf(["outline", "drafting", "review", "final"], "How far it is."),
}));

export const paperListFields = rowsOf(() => ({
  q: row.text("Only those with this in their title.").or(""),
  all: row.bool("Those of other conversations, too.", true),
  limit: limit(50),
}));

export const sectionFields = rowsOf(() => ({
  title: row.text("Its heading."),
  body: row.text("Its text, as Markdown."),
  summary: row.text("What is to stand in it."),
  parent: row.text("The section that it stands in, by id or label."),
  position: row.int("Its place there, from 0; without one the last.", null, { min: 0 }),
}));

export const paperWriteFields = rowsOf(() => ({
  version: row.int("The version of the section that was seen."),
  title: row.text("A new heading."),
  summary: row.text("A new summary."),
  label: row.text("A new label."),
  note: row.text("Why, for the list of versions."),
}));

export const paperPlaceFields = rowsOf(() => ({
  parent: row.text("The section to move it into, by id or label; without one the top."),
  position: row.int("Its place there, from 0.", 0, { min: 0 }),
  version: row.int("The version of the section that was seen."),
}));

export const versionListFields = rowsOf(() => ({
  before: row.int("Only versions below this number."),
  limit: limit(50),
}));

export const referenceFields = rowsOf(() => ({
  key: row.text("How texts cite it; without one it is made: doe2020autonomous."),
  item: row.dict(null, "CSL-JSON."),
  library: row.text("The key of a reference of the library, in place of `item`."),
  quote: row.text("Words that its source is said to hold."),
}));

export const renderFields = rowsOf(() => ({ version: row.int("As it was then.") }));

export const libraryFields = rowsOf(() => ({
  key: row.text(
    "What it is to be called. Where another work is called so, it keeps the name unless only the new one is verified; the result says what this one is called.",
  ),
  source: row.text("The id of the kept page that its fields came from."),
  origin: row.dict(null, "`{adapter, url, at, hash}` of the register that was asked."),
}));

export const findFields = rowsOf(() => ({ limit: limit(20) }));

export const notePutFields = rowsOf(() => ({
  tags: row.handle<List>("list<string>", "Words to find it by."),
}));

export const noteFindFields = rowsOf(() => ({
  tag: row.text("Only those with this tag."),
  limit: limit(20),
}));
