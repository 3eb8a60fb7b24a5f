/** A project at one version, as exporters and checks see it: plain data, the same in browser, server and terminal. */

export type CitationStyle = "numeric" | "author-year";
export const citationStyles: readonly CitationStyle[] = ["numeric", "author-year"];

export interface Paper {
  readonly title: string;
  /** Names as they are to be printed. */
  readonly authors: readonly string[];
  /** Markdown. */
  readonly abstract: string;
  /** A language tag: `en`. */
  readonly language: string;
  readonly citationStyle: CitationStyle;
  /** In the order of the paper: each section stands before its children. */
  readonly sections: readonly PaperSection[];
  readonly references: readonly Reference[];
  /**
   * Images of the workspace by the path that the text names. Absent: nobody has looked, and no image counts as missing.
   * Bytes may be absent where only their being there is known.
   */
  readonly images?: ReadonlyMap<string, Uint8Array | null>;
  /** Texts of the sources that references were taken from, by the reference's key; for quotes. */
  readonly sourceTexts?: ReadonlyMap<string, string>;
}

export interface PaperSection {
  readonly id: string;
  /** 1 to 5. */
  readonly depth: number;
  readonly title: string;
  readonly label: string;
  /** Markdown. */
  readonly body: string;
}

export interface Reference {
  readonly key: string;
  readonly item: CslItem;
  /** Its fields came from a register or a page that was fetched. */
  readonly verified: boolean;
  /** Words that its source is said to hold; "" without. */
  readonly quote: string;
}

/** What is read of a CSL-JSON item. Others of its fields are kept and not looked at. */
export interface CslItem {
  readonly type?: string;
  readonly title?: string;
  readonly author?: readonly CslName[];
  readonly issued?: CslDate;
  readonly accessed?: CslDate;
  readonly "container-title"?: string;
  readonly volume?: string | number;
  readonly issue?: string | number;
  readonly number?: string | number;
  readonly page?: string;
  readonly publisher?: string;
  readonly DOI?: string;
  readonly URL?: string;
  /** `arXiv`, and the number there. */
  readonly archive?: string;
  readonly archive_location?: string;
  readonly note?: string;
}

export interface CslName {
  readonly family?: string;
  readonly given?: string;
  /** An organisation. */
  readonly literal?: string;
  /** `van der`. */
  readonly "non-dropping-particle"?: string;
  readonly "dropping-particle"?: string;
  readonly suffix?: string;
}

export interface CslDate {
  readonly "date-parts"?: readonly (readonly (number | string)[])[];
}

export interface ExportFile {
  /** `paper.tex`, `figures/plot.png` */
  readonly path: string;
  readonly content: string | Uint8Array;
}

export interface PaperExport {
  /** The first one is the paper itself. */
  readonly files: readonly ExportFile[];
  readonly findings: readonly Finding[];
}

export const findingKinds = [
  "unknown-citation",
  "unverified-reference",
  "uncited-reference",
  "quote-not-found",
  "unknown-label",
  "empty-section",
  "unsafe-math",
  "raw-html",
  "unmapped-character",
  "broken-image",
  "struck-text",
] as const;
export type FindingKind = (typeof findingKinds)[number];

/** Those with which `--strict` fails. */
export const strictKinds: readonly FindingKind[] = [
  "unknown-citation",
  "unverified-reference",
  "uncited-reference",
];

export interface Finding {
  readonly kind: FindingKind;
  /** Id of the section; "" for the paper itself and its references. */
  readonly section: string;
  /** UTF-16 units from the beginning of the section's text; 0 where there is no place in a text. */
  readonly offset: number;
  /** What it is about: the key, the label, the formula … */
  readonly text: string;
}
