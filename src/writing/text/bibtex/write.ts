/** References ▸ BibTeX. */
import { soundItem } from "../csl-item.ts";
import { oneLine } from "../document.ts";
import { percentEncoded } from "../latex/escape.ts";
import { isoDate, yearOf } from "../names.ts";
import type { CslItem, Reference } from "../paper.ts";
import { bibtexNames } from "./names.ts";
import { bibtexText, bibtexTitle } from "./text.ts";

/** Types of CSL that have an entry of their own. */
export const entryTypes: Readonly<Record<string, string>> = {
  "article-journal": "article",
  "article-magazine": "article",
  "article-newspaper": "article",
  "paper-conference": "inproceedings",
  book: "book",
  chapter: "incollection",
  thesis: "phdthesis",
  report: "techreport",
};

/** Where an entry has what others call `publisher`. */
export const publisherFields: Readonly<Record<string, string>> = {
  phdthesis: "school",
  techreport: "institution",
};

/** Entries sorted by key; "" without any. */
export const bibtexOf = (references: readonly Pick<Reference, "key" | "item">[]): string =>
  [...references]
    .sort((a, b) => (a.key < b.key ? -1 : 1))
    .map(({ key, item }) => entryOf(key, soundItem(item)))
    .join("\n");

function entryOf(key: string, item: CslItem): string {
  const kind = item.type ?? "";
  const type = Object.hasOwn(entryTypes, kind) ? (entryTypes[kind] as string) : "misc";
  const fields = fieldsOf(item, type).filter(([, value]) => value !== "");
  const lines = fields.map(([name, value]) => `  ${name} = {${value}},\n`);
  return `@${type}{${key},\n${lines.join("")}}\n`;
}

function fieldsOf(item: CslItem, type: string): readonly (readonly [string, string])[] {
  const text = (value: unknown): string =>
    typeof value === "string" || typeof value === "number" ? bibtexText(String(value)) : "";
  const isPage = type === "misc" && isWebPage(item);
  const container = text(item["container-title"]);
  return [
    ["author", bibtexNames(item.author ?? [])],
    ["title", bibtexTitle(item.title ?? "")],
    ["journal", type === "article" ? container : ""],
    ["booktitle", type === "inproceedings" || type === "incollection" ? container : ""],
    ["year", text(yearOf(item.issued))],
    ["volume", text(item.volume)],
    ["number", text(type === "article" ? item.issue : item.number)],
    ["pages", pages(String(item.page ?? ""))],
    [publisherFields[type] ?? "publisher", text(item.publisher)],
    ["doi", percentEncoded(oneLine(item.DOI ?? ""))],
    ["url", isPage ? "" : percentEncoded(oneLine(item.URL ?? ""))],
    [
      "howpublished",
      isPage ? `\\url{${percentEncoded(oneLine(item.URL ?? ""))}}` : type === "misc" ? container : "",
    ],
    ["eprint", text(item.archive_location)],
    ["archiveprefix", text(item.archive_location) === "" ? "" : text(item.archive)],
    ["note", isPage ? pageNote(item) : text(item.note)],
  ];
}

/** `86--91`: each run of dashes is one range. */
const pages = (text: string): string =>
  oneLine(text)
    .split(/(?:\s*[-–—])+\s*/)
    .map(bibtexText)
    .join("--");

/** A page of the web, with an address. */
const isWebPage = (item: CslItem): boolean =>
  (item.type === "webpage" || item.type === "post-weblog") && oneLine(item.URL ?? "") !== "";

function pageNote(item: CslItem): string {
  const accessed = item.accessed === undefined ? "" : `Accessed ${isoDate(item.accessed)}`;
  const note = oneLine(item.note ?? "");
  return bibtexText([note, accessed].filter((one) => one !== "").join(". "));
}
