/** Work items: what an agent has planned, and what came of it. Plain data; it belongs to the session. */
import type { Predicate } from "./task-contract.ts";

export type ItemStatus = "pending" | "in_progress" | "done" | "skipped";
export type ItemPriority = "high" | "medium" | "low";
/** `deliverable`: for whoever asked; `working`: for the agent itself; `control`: for the runtime. */
export type ArtifactRole = "deliverable" | "working" | "control";

export interface WorkItem {
  readonly id: string;
  readonly title: string;
  readonly status: ItemStatus;
  readonly priority: ItemPriority;
  readonly notes: string;
  /** The text that was stored for it. */
  readonly artifact: string | null;
  readonly artifactRole: ArtifactRole;
  /** It was done and is not good enough. */
  readonly requiresRevision: boolean;
  /** The item that it does again. */
  readonly revisionOf: string | null;
  /** What must hold before it is done. */
  readonly check: Predicate | null;
  readonly origin: "model" | "script" | "plan" | "contract";
  /** The model can neither skip it nor take its place. */
  readonly locked: boolean;
  /** 1-based turn of the last change; 0: outside of every turn. */
  readonly updatedTurn: number;
  /** How often it was flagged. */
  readonly revisions: number;
  /** Why it was flagged, oldest first. */
  readonly flagged: readonly string[];
}

/** The items of a session in the order in which they were made. Never changed in place. */
export interface Ledger {
  /** +1 per change. */
  readonly version: number;
  readonly items: readonly WorkItem[];
}

/** Items of a ledger. */
export const maxItems = 200;
/** Characters of a title. */
export const maxItemTitle = 200;
/** Characters of an item's notes. */
export const maxItemNotes = 2000;

/** What is wrong with an item, whoever makes it; null: nothing. */
export function itemProblem({ id, title, notes }: Pick<WorkItem, "id" | "title" | "notes">): string | null {
  const shown = title.trim();
  if (!/^[\p{L}\p{N}_./-]{1,64}$/u.test(id))
    return `an item's id has 1 to 64 letters, digits, "_", ".", "/" or "-"; got ${JSON.stringify(id.slice(0, 80))}`;
  if (shown === "") return "an item needs a title";
  if (/[\r\n]/.test(shown)) return "a title is one line; put more into the notes";
  if (shown.length > maxItemTitle) return `a title may have ${maxItemTitle} characters; got ${shown.length}`;
  return notes.length > maxItemNotes ? `notes of ${id} may have ${maxItemNotes} characters` : null;
}
