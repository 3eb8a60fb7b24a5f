/** CSL-JSON as it comes from models, files and registers ▸ fields of the types that exporters rely on. */
import { isJsonObject } from "../../values/json/json-value.ts";
import type { CslDate, CslItem, CslName } from "./paper.ts";

const textFields = [
  "type",
  "title",
  "container-title",
  "volume",
  "issue",
  "number",
  "page",
  "publisher",
  "DOI",
  "URL",
  "archive",
  "archive_location",
  "note",
] as const;
const nameFields = [
  "family",
  "given",
  "literal",
  "non-dropping-particle",
  "dropping-particle",
  "suffix",
] as const;

type UncheckedItem = { readonly [name: string]: unknown };
const isWord = (value: unknown): value is string | number =>
  typeof value === "string" || typeof value === "number";

/** What has another type than its field is left out: a reference with a broken field is still a reference. */
export function soundItem(input: CslItem): CslItem {
  const item = input as UncheckedItem;
  const authors = (Array.isArray(item.author) ? item.author : []).flatMap(soundName);
  return {
    ...textsOf(item, textFields),
    ...(authors.length === 0 ? {} : { author: authors }),
    ...dateOf("issued", item.issued),
    ...dateOf("accessed", item.accessed),
  };
}

/** Numbers become texts: a volume may be one. */
const textsOf = <T extends string>(
  item: UncheckedItem,
  names: readonly T[],
): { readonly [name in T]?: string } =>
  Object.fromEntries(
    names.flatMap((name) => {
      const value = Object.hasOwn(item, name) ? item[name] : undefined;
      return isWord(value) ? [[name, String(value)]] : [];
    }),
  ) as { readonly [name in T]?: string };

function soundName(input: unknown): readonly CslName[] {
  if (typeof input === "string") return [{ literal: input }];
  const name = isJsonObject(input) ? textsOf(input, nameFields) : {};
  return Object.keys(name).length === 0 ? [] : [name];
}

function dateOf(name: "issued" | "accessed", input: unknown): { readonly [name: string]: CslDate } {
  const parts = isJsonObject(input) ? input["date-parts"] : undefined;
  if (!Array.isArray(parts)) return {};
  const dates = parts.filter(Array.isArray).map((date: readonly unknown[]) => date.filter(isWord));
  return { [name]: { "date-parts": dates } };
}
