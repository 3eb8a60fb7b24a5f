/** Citations and references to sections and figures as readers see them: `[1, p. 3]`, `(Doe 2020)`, `Doe (2020)`. For Markdown, HTML and docx. */
import type { PaperDocument } from "./document.ts";
import type { CitationInline, CitationItem, CrossReferenceInline } from "./markdown/index.ts";
import { citedAuthors, yearOf } from "./names.ts";

/** What a citation says, in pieces: those with a key are links to its reference. */
export interface CitationPiece {
  readonly text: string;
  readonly key?: string;
}

export function citationPieces(citation: CitationInline, document: PaperDocument): readonly CitationPiece[] {
  const isNumeric = document.paper.citationStyle === "numeric";
  const [open, close] = isNumeric ? ["[", "]"] : ["(", ")"];
  if (citation.form === "textual") {
    const { key } = citation.items[0] as CitationItem;
    const reference = document.references.get(key);
    if (reference === undefined) return [{ text: "?" }];
    const mark = isNumeric ? String(document.numberOf.get(key)) : yearText(key, document);
    return [{ text: `${citedAuthors(reference.item)} ${open}` }, { text: mark, key }, { text: close }];
  }
  const inside = citation.items.flatMap((item, at): CitationPiece[] => {
    const before = `${at === 0 ? "" : isNumeric ? ", " : "; "}${item.prefix === "" ? "" : `${item.prefix} `}`;
    const mark = citationMark(item, document, isNumeric);
    const after = item.suffix === "" ? "" : `, ${item.suffix}`;
    return [{ text: before }, mark, { text: after }];
  });
  return [{ text: open }, ...inside, { text: close }].filter(({ text }) => text !== "");
}

/** `Section 2.1`, `Figure 3`; `Section ??` where there is none of this label. */
export function crossReferenceText(
  { to, label }: Pick<CrossReferenceInline, "to" | "label">,
  { sectionsByLabel, figures }: PaperDocument,
): string {
  return to === "sec"
    ? `Section ${sectionsByLabel.get(label)?.number ?? "??"}`
    : `Figure ${figures.get(label) ?? "??"}`;
}

function citationMark(item: CitationItem, document: PaperDocument, isNumeric: boolean): CitationPiece {
  const reference = document.references.get(item.key);
  if (reference === undefined) return { text: "?" };
  const year = yearText(item.key, document);
  if (item.yearOnly) return { text: year, key: item.key };
  const text = isNumeric
    ? String(document.numberOf.get(item.key))
    : `${citedAuthors(reference.item)} ${year}`;
  return { text, key: item.key };
}

/** `2020`, `2020a` when another cited reference has the same authors and year; `n.d.` without one. */
export function yearText(key: string, document: PaperDocument): string {
  const item = document.references.get(key)?.item;
  if (item === undefined) return "?";
  const year = yearOf(item.issued) || "n.d.";
  const name = `${citedAuthors(item)} ${year}`;
  const same = sharedNames(document).get(name) ?? [];
  return same.length > 1 ? `${year}${String.fromCharCode(97 + same.indexOf(key))}` : year;
}

const shared = new WeakMap<PaperDocument, ReadonlyMap<string, readonly string[]>>();

/** Keys of cited references by what their citation says. */
function sharedNames(document: PaperDocument): ReadonlyMap<string, readonly string[]> {
  let names = shared.get(document);
  if (names === undefined) {
    names = Map.groupBy(
      document.cited,
      ({ item }) => `${citedAuthors(item)} ${yearOf(item.issued) || "n.d."}`,
    )
      .entries()
      .reduce((all, [name, list]) => all.set(name, list.map(({ key }) => key).sort()), new Map());
    shared.set(document, names);
  }
  return names;
}

/** The references of the list: in the order of their numbers, or by author and year. */
export const listedReferences = (document: PaperDocument) => {
  if (document.paper.citationStyle === "numeric") return document.cited;
  const order = (key: string): string => {
    const item = document.references.get(key)?.item ?? {};
    return `${citedAuthors(item).toLowerCase()}\u0000${yearText(key, document)}\u0000${key}`;
  };
  return [...document.cited].sort((a, b) => (order(a.key) < order(b.key) ? -1 : 1));
};
