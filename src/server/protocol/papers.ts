/** What the routes of papers and of the library answer with (docs/papers.md). */
import type { Json } from "../../events/wire/index.ts";

export interface PaperSummary {
  /** `p_…` */
  readonly id: string;
  readonly conversation: string | null;
  readonly owner: string;
  readonly title: string;
  readonly authors: readonly string[];
  /** Markdown. */
  readonly abstract: string;
  readonly language: string;
  /** `numeric` or `author-year`. */
  readonly citation_style: string;
  readonly state: string;
  /** Number of the newest version. */
  readonly version: number;
  readonly created: number;
  readonly changed: number;
}

export interface SectionRecord {
  /** `s_…` */
  readonly id: string;
  readonly parent: string | null;
  /** Among those with the same parent, from 0. */
  readonly position: number;
  /** From 1. */
  readonly depth: number;
  readonly title: string;
  readonly label: string;
  readonly body: string;
  readonly summary: string;
  readonly state: string;
  /** The paper's version that changed it last. */
  readonly version: number;
  readonly changed: number;
}

interface CitedWork {
  readonly key: string;
  /** CSL-JSON. */
  readonly item: { readonly [name: string]: Json };
  readonly verified: boolean;
  /** Where its fields came from; null: from somebody's words. */
  readonly origin: { readonly [name: string]: Json } | null;
}

export interface ReferenceRecord extends CitedWork {
  readonly quote: string;
}

export interface PaperRecord extends PaperSummary {
  /** Each before its children. */
  readonly sections: readonly SectionRecord[];
  readonly references: readonly ReferenceRecord[];
}

export interface VersionRecord {
  readonly n: number;
  readonly at: number;
  readonly by: string;
  readonly run: string | null;
  readonly op: string;
  readonly note: string | null;
  readonly section: string | null;
}

/** What differs between two versions. */
export interface PaperDiff {
  /** Names of the paper's own. */
  readonly fields: readonly string[];
  readonly sections: readonly {
    readonly section: string;
    readonly title: string;
    readonly change: "added" | "removed" | "changed" | "moved";
    readonly before: string;
    readonly after: string;
  }[];
  readonly references: readonly {
    readonly key: string;
    readonly change: "added" | "removed" | "changed";
  }[];
}

export interface FindingRecord {
  readonly kind: string;
  readonly section: string;
  readonly offset: number;
  readonly text: string;
}

/** What a BibTeX text brought. */
export interface ImportedReferences {
  readonly version: number;
  readonly keys: readonly string[];
  readonly problems: readonly { readonly line: number; readonly message: string }[];
}

export interface LibraryRecord extends CitedWork {
  readonly source: string | null;
  readonly added: number;
}

/** What was added to the library, and what could not be read of a BibTeX text. */
export interface LibraryAdded {
  readonly items: readonly LibraryRecord[];
  readonly problems: ImportedReferences["problems"];
}
