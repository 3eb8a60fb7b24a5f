/** What a writing project is, as operations give it. */
import type { Json } from "../../../effects/index.ts";
import { StoreError } from "../../../store/index.ts";

export const projectStates = ["outline", "drafting", "review", "final"] as const;
export const sectionStates = ["planned", "drafted", "revised"] as const;
export type ProjectState = (typeof projectStates)[number];
export type SectionState = (typeof sectionStates)[number];

export const paperLimits = {
  depth: 5,
  sections: 500,
  /** Bytes as UTF-8. */
  section: 1_048_576,
  project: 10_485_760,
  references: 5_000,
} as const;

/** What people and agents set of a project. */
export interface ProjectFields {
  readonly title: string;
  readonly authors: readonly string[];
  /** Markdown. */
  readonly abstract: string;
  readonly language: string;
  readonly citation_style: string;
  readonly state: string;
}

export interface PaperRecord extends ProjectFields {
  /** `p_…` */
  readonly id: string;
  readonly conversation: string | null;
  readonly owner: string;
  /** Number of the newest version; they count from 1 without gaps. */
  readonly version: number;
  /** Milliseconds since the epoch. */
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
  /** The project's version that changed it last. */
  readonly version: number;
  readonly changed: number;
}

export interface ReferenceRecord {
  readonly key: string;
  /** CSL-JSON. */
  readonly item: { readonly [name: string]: Json };
  readonly verified: boolean;
  /** Where its fields came from: `{adapter, url, at, hash, source}`; null: from somebody's words. */
  readonly origin: { readonly [name: string]: Json } | null;
  readonly quote: string;
}

export interface WholePaper {
  readonly paper: PaperRecord;
  /** Each before its children. */
  readonly sections: readonly SectionRecord[];
  /** By key. */
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

/** Who changes, when and why. */
export interface Change {
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
  readonly stale: { readonly version: number; readonly section: SectionRecord | null };
}

export interface Changed {
  readonly version: number;
}

export const missingPaper = (id: string): StoreError =>
  new StoreError("missing", `there is no paper ${id}`, ["`harn paper list` names those that there are"]);
export const missingSection = (id: string): StoreError =>
  new StoreError("missing", `the paper has no section ${id}`, ["`paper_status` names its sections"]);
