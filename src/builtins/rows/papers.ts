/** Rows of papers, library and notes. */
import { type Field, type FieldTable, field, fieldTable } from "../../table/index.ts";

/** A misspelt name is an error: whoever passes `version` relies on nothing being overwritten. */
const rowsOf = (read: () => readonly Field[]): FieldTable => fieldTable(read, { strict: true });

const limit = field("limit", "int", "How many at most.", { range: [1, 1000] });

/** A section of an outline; those in `sections` are like it. */
export const outlineFields: FieldTable = rowsOf(() => [
  field("id", "string", "A section that is there; without one it is made."),
  field("title", "string", "Its heading."),
  field("summary", "string", "What is to stand in it."),
  field("sections", "list<dict>", "The sections in it.", { nested: outlineFields }),
]);

const aboutRows = () => [
  field("authors", "list<string>", "Names, as they are to be printed."),
  field("abstract", "string", "Markdown."),
  field("language", "string", "A language tag.", { default: '"en"' }),
  field("citation_style", "string", "How citations look.", { values: ["numeric", "author-year"] }),
];

export const paperFields = rowsOf(() => [
  ...aboutRows(),
  field("outline", "list<dict>", "Its first sections.", { nested: outlineFields }),
]);

export const paperSetFields = rowsOf(() => [
  field("title", "string", "Its title."),
  ...aboutRows(),
  field("state", "string", "How far it is.", { values: ["outline", "drafting", "review", "final"] }),
]);

export const paperListFields = rowsOf(() => [
  field("q", "string", "Only those with this in their title."),
  field("all", "bool", "Those of other conversations, too.", { default: "true" }),
  limit,
]);

export const sectionFields = rowsOf(() => [
  field("title", "string", "Its heading."),
  field("body", "string", "Its text, as Markdown."),
  field("summary", "string", "What is to stand in it."),
  field("parent", "string", "The section that it stands in, by id or label."),
  field("position", "int", "Its place there, from 0; without one the last.", { range: [0, null] }),
]);

export const paperWriteFields = rowsOf(() => [
  field("version", "int", "The version of the section that was seen."),
  field("title", "string", "A new heading."),
  field("summary", "string", "A new summary."),
  field("label", "string", "A new label."),
  field("note", "string", "Why, for the list of versions."),
]);

export const paperPlaceFields = rowsOf(() => [
  field("parent", "string", "The section to move it into, by id or label; without one the top."),
  field("position", "int", "Its place there, from 0.", { default: "0", range: [0, null] }),
  field("version", "int", "The version of the section that was seen."),
]);

export const versionListFields = rowsOf(() => [
  field("before", "int", "Only versions below this number."),
  limit,
]);

export const referenceFields = rowsOf(() => [
  field("key", "string", "How texts cite it; without one it is made: doe2020autonomous."),
  field("item", "dict", "CSL-JSON."),
  field("library", "string", "The key of a reference of the library, in place of `item`."),
  field("quote", "string", "Words that its source is said to hold."),
]);

export const renderFields = rowsOf(() => [field("version", "int", "As it was then.")]);

export const libraryFields = rowsOf(() => [
  field(
    "key",
    "string",
    "What it is to be called. Where another work is called so, it keeps the name unless only the new one is verified; the result says what this one is called.",
  ),
  field("source", "string", "The id of the kept page that its fields came from."),
  field("origin", "dict", "`{adapter, url, at, hash}` of the register that was asked."),
]);

export const findFields = rowsOf(() => [limit]);

export const notePutFields = rowsOf(() => [field("tags", "list<string>", "Words to find it by.")]);

export const noteFindFields = rowsOf(() => [field("tag", "string", "Only those with this tag."), limit]);
