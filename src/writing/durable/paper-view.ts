/** A stored paper ▸ what exporters and checks take; and how two versions differ. */
import type { WholePaper } from "../../durable/index.ts";
import type { CitationStyle, CslItem, Paper } from "../text/index.ts";

/** `sourceText` gives the stored text of a source; without it quotes are not looked for. */
export function paperOf(
  { paper, sections, references }: WholePaper,
  more: {
    readonly images?: Paper["images"];
    readonly sourceText?: (id: string) => string | undefined;
  } = {},
): Paper {
  const texts = new Map<string, string>();
  for (const { key, origin, quote } of references) {
    const source = origin?.source;
    const text = quote !== "" && typeof source === "string" ? more.sourceText?.(source) : undefined;
    if (text !== undefined) texts.set(key, text);
  }
  return {
    title: paper.title,
    authors: paper.authors,
    abstract: paper.abstract,
    language: paper.language,
    citationStyle: paper.citation_style as CitationStyle,
    sections: sections.map(({ id, depth, title, label, body }) => ({ id, depth, title, label, body })),
    references: references.map(({ key, item, verified, quote }) => ({
      key,
      item: item as CslItem,
      verified,
      quote,
    })),
    ...(more.images === undefined ? {} : { images: more.images }),
    ...(more.sourceText === undefined ? {} : { sourceTexts: texts }),
  };
}

export interface SectionDifference {
  readonly section: string;
  readonly title: string;
  readonly change: "added" | "removed" | "changed" | "moved";
  /** Texts before and after; equal for one that was only moved or renamed. */
  readonly before: string;
  readonly after: string;
}

export interface PaperDifference {
  readonly fields: readonly string[];
  readonly sections: readonly SectionDifference[];
  /** Keys. */
  readonly references: readonly { readonly key: string; readonly change: "added" | "removed" | "changed" }[];
}

export function paperDifference(from: WholePaper, to: WholePaper): PaperDifference {
  const fixed = ["id", "conversation", "owner", "version", "created", "changed"];
  const names = (Object.keys(to.paper) as (keyof typeof to.paper)[]).filter((name) => !fixed.includes(name));
  return {
    fields: names.filter((name) => JSON.stringify(from.paper[name]) !== JSON.stringify(to.paper[name])),
    sections: sectionDifferences(from, to),
    references: referenceDifferences(from, to),
  };
}

function sectionDifferences(from: WholePaper, to: WholePaper): readonly SectionDifference[] {
  const before = new Map(from.sections.map((one) => [one.id, one]));
  const after = new Set(to.sections.map((one) => one.id));
  const present = to.sections.flatMap((one): SectionDifference[] => {
    const was = before.get(one.id);
    const texts = { section: one.id, title: one.title, before: was?.body ?? "", after: one.body };
    if (was === undefined) return [{ ...texts, change: "added" }];
    if (was.body !== one.body || was.title !== one.title || was.label !== one.label)
      return [{ ...texts, change: "changed" }];
    return was.parent === one.parent && was.position === one.position ? [] : [{ ...texts, change: "moved" }];
  });
  const removed = from.sections
    .filter((one) => !after.has(one.id))
    .map(
      (one): SectionDifference => ({
        section: one.id,
        title: one.title,
        change: "removed",
        before: one.body,
        after: "",
      }),
    );
  return [...present, ...removed];
}

function referenceDifferences(from: WholePaper, to: WholePaper): PaperDifference["references"] {
  const before = new Map(from.references.map((one) => [one.key, JSON.stringify(one)]));
  const after = new Map(to.references.map((one) => [one.key, JSON.stringify(one)]));
  const keys = [...new Set([...before.keys(), ...after.keys()])].sort();
  return keys.flatMap((key): PaperDifference["references"] => {
    if (!before.has(key)) return [{ key, change: "added" }];
    if (!after.has(key)) return [{ key, change: "removed" }];
    return before.get(key) === after.get(key) ? [] : [{ key, change: "changed" }];
  });
}
