/** Work items as people and models read them, counted, and as scripts see them. */
import type { Ledger, WorkItem } from "../../model/index.ts";
import { Dict, List, type Value } from "../../values/index.ts";

export const emptyLedger: Ledger = { version: 0, items: [] };

/** Neither done nor skipped, or done and not good enough. */
export const isOpen = (item: WorkItem): boolean =>
  item.status === "pending" || item.status === "in_progress" || item.requiresRevision;

export const openItems = ({ items }: Ledger): WorkItem[] => items.filter(isOpen);

/** 0 to 100: done of all that are not skipped. */
export function completionPercentage({ items }: Ledger): number {
  if (items.length === 0) return 0;
  const wanted = items.filter(({ status }) => status !== "skipped");
  const done = wanted.filter(({ status }) => status === "done");
  return wanted.length === 0 ? 100 : Math.round((100 * done.length) / wanted.length);
}

export const countDone = ({ items }: Ledger): number =>
  items.filter(({ status }) => status === "done").length;

/** `3 of 7 done, 1 in progress: api-tests`. */
export function progressLine(ledger: Ledger): string {
  const { items } = ledger;
  const working = items.filter(({ status }) => status === "in_progress").map(({ id }) => id);
  const skipped = items.filter(({ status }) => status === "skipped").length;
  const parts = [
    `${countDone(ledger)} of ${items.length} done`,
    ...(working.length === 0 ? [] : [`${working.length} in progress: ${working.join(", ")}`]),
    ...(skipped === 0 ? [] : [`${skipped} skipped`]),
  ];
  return parts.join(", ");
}

const marks = { pending: " ", in_progress: "~", done: "x", skipped: "-" } as const;

/** One line per item: `[x] id: title (high) — notes`. */
export function itemLine(item: WorkItem): string {
  const about = [
    ...(item.priority === "medium" ? [] : [item.priority]),
    ...(item.requiresRevision ? ["to be revised"] : []),
    ...(item.revisionOf === null ? [] : [`does ${item.revisionOf} again`]),
    ...(item.locked ? ["locked"] : []),
    ...(item.artifact === null ? [] : [`${item.artifactRole}, ${item.artifact.length} characters`]),
  ];
  const more = about.length === 0 ? "" : ` (${about.join("; ")})`;
  return `[${marks[item.status]}] ${item.id}: ${item.title}${more}${item.notes === "" ? "" : ` — ${item.notes}`}`;
}

/** The ledger as a model reads it; "" where there is none. */
export function ledgerText(ledger: Ledger | null): string {
  if (ledger === null || ledger.items.length === 0) return "";
  return ["Work items:", ...ledger.items.map(itemLine), progressLine(ledger)].join("\n");
}

/** One item as scripts, events and results see it. */
export function itemValue(item: WorkItem): Dict {
  return Dict.of({
    id: item.id,
    title: item.title,
    status: item.status,
    priority: item.priority,
    notes: item.notes,
    artifact: item.artifact,
    artifact_role: item.artifactRole,
    requires_revision: item.requiresRevision,
    revision_of: item.revisionOf,
    check: item.check === null ? null : item.check.type,
    origin: item.origin,
    locked: item.locked,
    updated_turn: item.updatedTurn,
    revisions: item.revisions,
  });
}

export function ledgerValue(ledger: Ledger): Dict {
  return Dict.of({
    version: ledger.version,
    items: new List(ledger.items.map(itemValue)),
    complete: countDone(ledger),
    total: ledger.items.length,
    completion_percentage: completionPercentage(ledger),
  });
}

/** The same for transcripts, from which `restoredLedger` makes it again. */
export const ledgerRecord = ({ version, items }: Ledger): Dict =>
  Dict.of({
    version,
    items: new List(items.map((item) => itemValue(item).with("flagged", new List([...item.flagged])))),
  });

/** `null`: it is no record of a ledger. A check that was a closure does not outlive its run. */
export function restoredLedger(value: Value): Ledger | null {
  if (!(value instanceof Dict)) return null;
  const version = value.get("version");
  const items = value.get("items");
  if (typeof version !== "number" || !(items instanceof List)) return null;
  return { version, items: [...items].flatMap(restoredItems) };
}

function restoredItems(value: Value): WorkItem[] {
  if (!(value instanceof Dict)) return [];
  const text = (name: string): string | null => {
    const input = value.get(name) ?? null;
    return typeof input === "string" ? input : null;
  };
  const count = (name: string): number => Number(value.get(name) ?? 0) || 0;
  const [id, title, check] = [text("id"), text("title"), text("check")];
  if (id === null || title === null) return [];
  const flagged = value.get("flagged");
  return [
    {
      id,
      title,
      status: (text("status") ?? "pending") as WorkItem["status"],
      priority: (text("priority") ?? "medium") as WorkItem["priority"],
      notes: text("notes") ?? "",
      artifact: text("artifact"),
      artifactRole: (text("artifact_role") ?? "deliverable") as WorkItem["artifactRole"],
      requiresRevision: value.get("requires_revision") === true,
      revisionOf: text("revision_of"),
      check: check === null ? null : { type: "not_available", was: check },
      origin: (text("origin") ?? "script") as WorkItem["origin"],
      locked: value.get("locked") === true,
      updatedTurn: count("updated_turn"),
      revisions: count("revisions"),
      flagged: flagged instanceof List ? [...flagged].filter((one) => typeof one === "string") : [],
    },
  ];
}

/** `{content, status, priority}` of every item, as editors show plans. */
export const planValue = ({ items }: Ledger): List =>
  new List(
    items.map(({ title, status, priority }) =>
      Dict.of({
        content: title,
        status: status === "done" || status === "skipped" ? "completed" : status,
        priority,
      }),
    ),
  );

/** Ledgers are never changed, and most turns leave theirs alone: each is looked through once, its artifacts with it. */
const standings = new WeakMap<Ledger, string>();

/** What tells two standings of a ledger apart (statuses, flags, artifacts), as JSON. */
export function ledgerStanding(ledger: Ledger | null): string {
  if (ledger === null) return "null";
  let standing = standings.get(ledger);
  if (standing === undefined) {
    standing = JSON.stringify(
      ledger.items.map(({ id, status, requiresRevision, artifact }) => [
        id,
        status,
        requiresRevision,
        artifact === null ? null : ledgerDigest(artifact),
      ]),
    );
    standings.set(ledger, standing);
  }
  return standing;
}

/** A short mark of a text: length and a rolling sum, enough to tell changes apart. */
function ledgerDigest(text: string): string {
  let sum = 7;
  for (let at = 0; at < text.length; at++) sum = (Math.imul(sum, 31) + text.charCodeAt(at)) | 0;
  return `${text.length}:${sum}`;
}

/** The open items by id, in one line. */
export function openItemsLine(ledger: Ledger | null): string {
  const open = ledger === null ? [] : openItems(ledger);
  return open.length === 0 ? "nothing in the ledger" : open.map(({ id }) => id).join(", ");
}
