/** Entries ▸ CSL items. */
import { isKey } from "../markdown/index.ts";
import type { CslDate, CslItem } from "../paper.ts";
import { referenceKey } from "../reference-keys.ts";
import { namesOfBibtex } from "./names.ts";
import { type BibtexEntry, type BibtexProblem, parseBibtex } from "./parse.ts";
import { rawOfBibtex, textOfBibtex } from "./text.ts";
import { publisherFields } from "./write.ts";

export interface ImportedReference {
  readonly key: string;
  readonly item: CslItem;
}

const itemTypes: Readonly<Record<string, string>> = {
  article: "article-journal",
  inproceedings: "paper-conference",
  conference: "paper-conference",
  book: "book",
  incollection: "chapter",
  inbook: "chapter",
  phdthesis: "thesis",
  mastersthesis: "thesis",
  thesis: "thesis",
  techreport: "report",
  report: "report",
  online: "webpage",
  electronic: "webpage",
  www: "webpage",
};

/** The references of a BibTeX file, in its order, each under a key of its own. */
export function referencesOfBibtex(text: string): {
  readonly references: readonly ImportedReference[];
  readonly problems: readonly BibtexProblem[];
} {
  const { entries, problems, lineOf } = parseBibtex(text);
  const renamed: BibtexProblem[] = [];
  const taken = new Set<string>();
  const references = entries.map((entry) => {
    const item = bibtexItem(entry);
    const usable = isKey(entry.key) && !taken.has(entry.key);
    const key = usable ? entry.key : referenceKey(item, (one) => taken.has(one));
    if (taken.has(entry.key))
      renamed.push({
        line: lineOf(entry.at),
        message: `the key ${entry.key} is there twice: this one is ${key}`,
      });
    taken.add(key);
    return { key, item };
  });
  return { references, problems: [...problems, ...renamed].sort((a, b) => a.line - b.line) };
}

function bibtexItem({ type, fields }: BibtexEntry): CslItem {
  const text = (name: string): string => textOfBibtex(fields.get(name) ?? "");
  const raw = (name: string): string => rawOfBibtex(fields.get(name) ?? "");
  const howPublished = fields.get("howpublished") ?? "";
  const pageUrl = /^\s*\\url\{(.*)\}\s*$/.exec(howPublished)?.[1];
  const kind = itemTypes[type] ?? (pageUrl === undefined ? "document" : "webpage");
  const page = kind === "webpage" ? pageNoteOf(text("note")) : undefined;
  const isArticle = kind === "article-journal";
  const all: { readonly [name: string]: unknown } = {
    title: text("title"),
    author: namesOfBibtex(fields.get("author") ?? ""),
    editor: namesOfBibtex(fields.get("editor") ?? ""),
    issued: bibtexDate(text("year") || /^\d{4}/.exec(text("date"))?.[0] || "", text("month")),
    "container-title":
      text("journal") ||
      text("journaltitle") ||
      text("booktitle") ||
      (pageUrl === undefined ? text("howpublished") : ""),
    volume: text("volume"),
    issue: isArticle ? text("number") || text("issue") : "",
    number: isArticle ? "" : text("number"),
    page: text("pages").replaceAll(/(?:\s*[–—-])+\s*/g, "-"),
    publisher:
      text("publisher") || text(publisherFields[type] ?? "") || text("institution") || text("school"),
    edition: text("edition"),
    ISBN: raw("isbn"),
    DOI: raw("doi").replace(/^https?:\/\/(?:dx\.)?doi\.org\//i, ""),
    URL: pageUrl === undefined ? raw("url") : rawOfBibtex(pageUrl),
    archive: fields.has("eprint") ? text("archiveprefix") || text("eprinttype") : "",
    archive_location: text("eprint"),
    abstract: text("abstract"),
    accessed: page?.accessed,
    note: page === undefined ? text("note") : page.note,
  };
  const present = Object.entries(all).filter(
    ([, value]) => value !== "" && value !== undefined && !(Array.isArray(value) && value.length === 0),
  );
  return { type: kind, ...Object.fromEntries(present) };
}

function bibtexDate(year: string, month: string): CslDate | undefined {
  if (year === "") return undefined;
  const parts = [/^\d{1,4}$/.test(year) ? Number(year) : year];
  const number = Number(month);
  return {
    "date-parts": [Number.isInteger(number) && number >= 1 && number <= 12 ? [...parts, number] : parts],
  };
}

/** `… Accessed 2026-03-05` */
function pageNoteOf(text: string): { readonly note: string; readonly accessed?: CslDate } {
  const found = /^(?:(.*)\. )?Accessed (\d{4})(?:-(\d\d))?(?:-(\d\d))?$/.exec(text);
  if (found === null) return { note: text };
  const parts = found.slice(2).filter((part) => part !== undefined);
  return { note: found[1] ?? "", accessed: { "date-parts": [parts.map(Number)] } };
}
