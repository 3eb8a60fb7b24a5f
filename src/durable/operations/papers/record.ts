/** What a writing project is, as operations give it. */
import type { Json } from "../../../effects/index.ts";
import { StoreError } from "../../../store/index.ts";
import type { WritingProjectRow, WritingSectionRow } from "../../server-tables.ts";
import type { RowOf } from "../../tables.ts";

export const paperLimits = {
  depth: 5,
  sections: 500,
  /** Bytes as UTF-8. */
  section: 1_048_576,
  project: 10_485_760,
  references: 5_000,
} as const;

/** `authors` as a list. */
export interface StoredPaper extends Omit<WritingProjectRow, "authors" | "deleted"> {
  readonly authors: readonly string[];
}

/** What people and agents set of a project. */
export type ProjectFields = Pick<
  StoredPaper,
  "title" | "authors" | "abstract" | "language" | "citation_style" | "state"
>;

export interface StoredSection extends Omit<WritingSectionRow, "project"> {
  /** From 1. */
  readonly depth: number;
}

export interface StoredReference {
  readonly key: string;
  /** CSL-JSON. */
  readonly item: { readonly [name: string]: Json };
  readonly verified: boolean;
  /** Where its fields came from: `{adapter, url, at, hash, source}`; null: from somebody's words. */
  readonly origin: { readonly [name: string]: Json } | null;
  readonly quote: string;
}

export interface WholePaper {
  readonly paper: StoredPaper;
  /** Each before its children. */
  readonly sections: readonly StoredSection[];
  /** By key. */
  readonly references: readonly StoredReference[];
}

export interface StoredVersion extends Omit<RowOf<"writing_versions">, "project" | "changes"> {
  readonly section: string | null;
}

/** Who changes, when and why. */
export interface PaperChange {
  readonly by: string;
  readonly run: string | null;
  readonly note: string | null;
  readonly now: number;
}

/** A text by its content: `text` is its JSON, `hash` the SHA-256 of that. */
export interface BodyPiece {
  readonly hash: string;
  readonly text: string;
}

/** What was changed meanwhile, instead of a change. */
export interface StaleChange {
  readonly stale: { readonly version: number; readonly section: StoredSection | null };
}

export interface VersionNumber {
  readonly version: number;
}

export const missingPaper = (id: string): StoreError =>
  new StoreError("missing", `there is no paper ${id}`, ["`harn paper list` names those that there are"]);
export const missingSection = (id: string): StoreError =>
  new StoreError("missing", `the paper has no section ${id}`, ["`paper_status` names its sections"]);
