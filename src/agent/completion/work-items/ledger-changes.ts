/**
 * Changes of a ledger, pure: from a ledger and what somebody wants to the next ledger and an answer, or to the words why
 * not.
 *
 *     pending ──▶ in_progress ──▶ done ──▶ in_progress   (only by a flag: to be revised)
 *        │  ▲          │  ▲
 *        ▼  │          ▼  └── pending
 *      skipped ◀───────┘
 *
 * The model keeps to these edges and to locks; a script may do anything that leaves a sound item.
 */
import {
  type ArtifactRole,
  type ItemPriority,
  type ItemStatus,
  itemProblem,
  type Ledger,
  maxItemNotes,
  maxItems,
  type Predicate,
  type WorkItem,
} from "../../../model/index.ts";
import { progressLine } from "../../session/ledger.ts";

/** Bytes of an artifact. */
const maxArtifact = 1024 * 1024;

export const itemStatuses: readonly ItemStatus[] = ["pending", "in_progress", "done", "skipped"];
export const itemPriorities: readonly ItemPriority[] = ["high", "medium", "low"];
export const artifactRoles: readonly ArtifactRole[] = ["deliverable", "working", "control"];

/** What became of one item. */
export interface ItemChange {
  readonly item: WorkItem;
  /** `added`, a status, `artifact`, `flagged`, `noted`. */
  readonly change: string;
}

export type LedgerAnswer =
  | { readonly ok: true; readonly ledger: Ledger; readonly text: string; readonly change: ItemChange | null }
  | { readonly ok: false; readonly text: string };

const refused = (text: string): LedgerAnswer => ({ ok: false, text });

/** What a new item is made of. */
export interface NewItem {
  readonly id: string;
  readonly title: string;
  readonly priority: ItemPriority;
  readonly origin: WorkItem["origin"];
  readonly locked?: boolean;
  readonly check?: Predicate | null;
}

export function addItem(ledger: Ledger, wanted: NewItem, turn: number): LedgerAnswer {
  const { id, title, priority, origin, locked = false, check = null } = wanted;
  const known = workItemOf(ledger, id);
  if (known !== undefined)
    return known.locked && origin === "model"
      ? refused(`${id} is locked: it stands in the ledger already (${known.status}) and can't be added again`)
      : answer(ledger, `${id} stands in the ledger already (${known.status}); nothing was changed.`, null);
  const problem = itemProblem({ id, title, notes: "" });
  if (problem !== null) return refused(problem);
  if (ledger.items.length >= maxItems) return refused(`the ledger is full: ${maxItems} items at most`);
  const base = workItemOf(ledger, id.slice(0, id.lastIndexOf("/")));
  const item: WorkItem = {
    id,
    title: title.trim(),
    status: "pending",
    priority,
    notes: "",
    artifact: null,
    artifactRole: "deliverable",
    requiresRevision: false,
    revisionOf: id.includes("/") && base?.status === "done" ? base.id : null,
    check,
    origin,
    locked,
    updatedTurn: turn,
    revisions: 0,
    flagged: [],
  };
  return changed(ledger, item, "added", `Added ${id}.`);
}

export interface ItemUpdate {
  readonly status: ItemStatus | null;
  /** A leading `+` appends. */
  readonly notes: string | null;
}

/** What the model wants of an item. The item's check, if it has one, was asked by whoever calls this. */
export function updateItem(ledger: Ledger, id: string, wanted: ItemUpdate, turn: number): LedgerAnswer {
  const item = workItemOf(ledger, id);
  if (item === undefined) return refused(unknownItem(ledger, id));
  const notes = nextNotes(item, wanted.notes);
  if (notes.length > maxItemNotes)
    return refused(`notes of ${id} may have ${maxItemNotes} characters; got ${notes.length}`);
  const status = wanted.status ?? item.status;
  if (status !== item.status) {
    const problem = edgeProblem(item, status, notes);
    if (problem !== null) return refused(problem);
  }
  const next: WorkItem = {
    ...item,
    status,
    notes,
    requiresRevision: status === "done" ? false : item.requiresRevision,
    updatedTurn: turn,
  };
  const others = ledger.items.filter((other) => other.status === "in_progress" && other.id !== id);
  const also =
    status === "in_progress" && item.status !== status && others.length > 0
      ? ` In progress as well: ${others.map((other) => other.id).join(", ")}.`
      : "";
  const said = status === item.status ? `Noted for ${id}.` : `${id} is ${status}.`;
  return changed(ledger, next, status === item.status ? "noted" : status, said + also);
}

/** Why an item can't take a status; `null`: it can. */
export function edgeProblem(item: WorkItem, status: ItemStatus, notes: string): string | null {
  const { id } = item;
  const allowed = edges[item.status];
  if (!allowed.includes(status)) {
    const ways = allowed.map((next) => `\`${next}\``).join(", ");
    return item.status === "done"
      ? `${id} is done; if it is not good enough, use work_item_flag_revision(id, reason)`
      : `${id} is ${item.status} and can't become ${status}; it can become ${ways}`;
  }
  if (status === "skipped" && item.locked) return `${id} is locked: it can't be skipped`;
  if (status === "skipped" && notes.trim() === "")
    return `skipping ${id} needs notes: why is it not to be done?`;
  return null;
}

const edges: Readonly<Record<ItemStatus, readonly ItemStatus[]>> = {
  pending: ["in_progress", "done", "skipped"],
  in_progress: ["pending", "done", "skipped"],
  skipped: ["pending"],
  done: [],
};

function nextNotes(item: WorkItem, notes: string | null): string {
  if (notes === null) return item.notes;
  if (!notes.startsWith("+")) return notes;
  const added = notes.slice(1).trim();
  return item.notes === "" ? added : `${item.notes}\n${added}`;
}

/** Stores the text of an item as it is. */
export function storeArtifact(
  ledger: Ledger,
  id: string,
  content: string,
  role: ArtifactRole,
  turn: number,
): LedgerAnswer {
  const item = workItemOf(ledger, id);
  if (item === undefined) return refused(unknownItem(ledger, id));
  const bytes = new TextEncoder().encode(content).length;
  if (bytes > maxArtifact) return refused(`an artifact may have 1 MiB; that of ${id} has ${bytes} bytes`);
  const next = { ...item, artifact: content, artifactRole: role, updatedTurn: turn };
  return changed(ledger, next, "artifact", `Stored ${content.length} characters for ${id} (${role}).`);
}

/** From so many flags on the answer repeats what was said before. */
const manyFlags = 4;

export function flagItem(ledger: Ledger, id: string, reason: string, turn: number): LedgerAnswer {
  const item = workItemOf(ledger, id);
  if (item === undefined) return refused(unknownItem(ledger, id));
  if (reason.trim() === "") return refused(`flagging ${id} needs a reason: what is not good enough?`);
  if (item.status !== "done" && !item.requiresRevision)
    return refused(`${id} is ${item.status}: only what is done can be flagged for revision`);
  const next: WorkItem = {
    ...item,
    status: "in_progress",
    requiresRevision: true,
    revisions: item.revisions + 1,
    flagged: [...item.flagged, reason.trim().slice(0, maxItemNotes)],
    updatedTurn: turn,
  };
  const earlier =
    next.revisions >= manyFlags
      ? ` It was flagged before because: ${item.flagged.map((said, index) => `${index + 1}. ${said}`).join(" ")}`
      : "";
  return changed(ledger, next, "flagged", `${id} is to be revised (${next.revisions}).${earlier}`);
}

/** A script's word: the item as it says, whatever it was before. */
export function putItem(ledger: Ledger, item: WorkItem): LedgerAnswer {
  const known = workItemOf(ledger, item.id);
  if (known === undefined && ledger.items.length >= maxItems)
    return refused(`the ledger is full: ${maxItems} items at most`);
  const change = known === undefined ? "added" : known.status === item.status ? "noted" : item.status;
  return changed(ledger, item, change, `Put ${item.id}.`);
}

export const workItemOf = ({ items }: Ledger, id: string): WorkItem | undefined =>
  items.find((item) => item.id === id);

export function unknownItem({ items }: Ledger, id: string): string {
  const there =
    items.length === 0 ? "the ledger is empty" : `there are ${items.map((item) => item.id).join(", ")}`;
  return `there is no work item ${JSON.stringify(id)}; ${there}`;
}

function changed(ledger: Ledger, item: WorkItem, change: string, text: string): LedgerAnswer {
  const known = ledger.items.some(({ id }) => id === item.id);
  const items = known
    ? ledger.items.map((other) => (other.id === item.id ? item : other))
    : [...ledger.items, item];
  return answer({ version: ledger.version + 1, items }, text, { item, change });
}

const answer = (ledger: Ledger, text: string, change: ItemChange | null): LedgerAnswer => ({
  ok: true,
  ledger,
  text: `${text}\n${progressLine(ledger)}`,
  change,
});
