/** Items as they come from programs, requests and models, which are any JSON: what is read of them has the type it is read as. */
import type { CslDate, CslItem, CslName } from "./paper.ts";

const texts = [
  "type",
  "title",
  "container-title",
  "page",
  "publisher",
  "DOI",
  "URL",
  "archive",
  "archive_location",
  "note",
] as const satisfies readonly (keyof CslItem)[];
const textsOrNumbers = ["volume", "issue", "number"] as const satisfies readonly (keyof CslItem)[];
const partsOfNames = [
  "family",
  "given",
  "literal",
  "non-dropping-particle",
  "dropping-particle",
  "suffix",
] as const satisfies readonly (keyof CslName)[];

type Fields = Readonly<Record<string, unknown>>;

const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const isTextOrNumber = (value: unknown): value is string | number =>
  typeof value === "string" || typeof value === "number";

/** The item without what is not of its type; a number where a text belongs is taken as its digits. */
export function cslItemOf(item: Fields): CslItem {
  const found: Record<string, unknown> = { ...item };
  for (const name of texts) keep(found, name, textIn(item[name]));
  for (const name of textsOrNumbers) keep(found, name, isTextOrNumber(item[name]) ? item[name] : undefined);
  keep(found, "author", Array.isArray(item.author) ? item.author.filter(isFields).map(nameOf) : undefined);
  for (const name of ["issued", "accessed"]) keep(found, name, dateOf(item[name]));
  return found;
}

function keep(found: Record<string, unknown>, name: string, value: unknown): void {
  if (value === undefined) delete found[name];
  else found[name] = value;
}

const textIn = (value: unknown): string | undefined => (isTextOrNumber(value) ? String(value) : undefined);

function nameOf(name: Fields): CslName {
  const found: Record<string, unknown> = { ...name };
  for (const part of partsOfNames) keep(found, part, textIn(name[part]));
  return found;
}

function dateOf(date: unknown): CslDate | undefined {
  if (!isFields(date)) return undefined;
  const parts = date["date-parts"];
  if (parts === undefined) return date;
  if (!Array.isArray(parts)) return undefined;
  return { ...date, "date-parts": parts.filter(Array.isArray).map((row) => row.filter(isTextOrNumber)) };
}
