/** The option `work_items` (docs/control-plane.md): a ledger that the agent keeps, and what it begins with. */
import { itemProblem, maxItems, type PatternMatcher, type WorkItem } from "../../model/index.ts";
import {
  type At,
  inside,
  type Read,
  type ReadRow,
  readRows,
  refusal,
  row,
  rows,
  subject,
} from "../../table/index.ts";
import { type Dict, thrown, type Value } from "../../values/index.ts";
import { predicateOf } from "./predicate-options.ts";

const itemRows = () => ({
  id: row.text("What it is called: 1 to 64 letters, digits, `_`, `.`, `/`, `-`.").required(),
  title: row.text("One line."),
  status: row.oneOf(["pending", "in_progress", "done", "skipped"], "How far it is.").usually('"pending"'),
  priority: row.oneOf(["high", "medium", "low"], "How much it matters.").usually('"medium"'),
  notes: row.text("What there is to say about it.").usually('""'),
  artifact: row.text("The text that was made for it."),
  artifact_role: row
    .oneOf(["deliverable", "working", "control"], "Whom the text is for.")
    .usually('"deliverable"'),
  requires_revision: row.bool("It was done and is not good enough.").usually("false"),
  revision_of: row.text("The item that it does again."),
  check: row.dict(null, "A predicate that must hold before it is done."),
  locked: row.bool("The model can't skip it.").usually("false"),
});

/** Of an item that may be there already. */
export const itemFields = rows(itemRows, { strict: true });

const newItemFields = rows(() => ({ ...itemRows(), title: row.text("One line.").required() }), {
  strict: true,
});

const workItemRows = rows(
  () => ({
    items: row
      .list(row.dict(null).with({ nested: newItemFields }), "What the ledger begins with.", [])
      .full(),
    recite: row.oneOf(["compaction", "system", "never"], "Where the ledger is told again.", "compaction"),
    locked: row.bool("The model can skip none of these items.", false),
    stale_after: row.int("Turns with writes after which an open ledger is stale.", 12, { min: 1 }),
  }),
  // A list of items is not this dict.
  { strict: true, form: "dict" },
);

/** `null`: nobody keeps a ledger. `place`: where its items stand. */
export const workItemsRow = (doc: string) =>
  row
    .either(
      [row.bool(), row.dict(workItemRows), row.list(row.dict(null).with({ nested: newItemFields })).full()],
      doc,
    )
    .to((read, place) => {
      if (read === false) return null;
      if (Array.isArray(read)) return { ...workItemRows.usual, items: read as readonly Dict[], place };
      const dict = read === true ? workItemRows.usual : (read as Read<typeof workItemRows>);
      return { ...dict, place: inside(place, "items") };
    });

export interface WorkItemOptions {
  readonly items: readonly WorkItem[];
  /** Where the ledger is told again: in compaction messages and refusals, or in the system text as well. */
  readonly recite: Read<typeof workItemRows>["recite"];
  /** Turns with writes after which an open ledger is stale. */
  readonly staleAfter: number;
}

/** The same with its items read. */
export function workItemsOf(
  read: ReadRow<typeof workItemsRow>,
  matches: PatternMatcher | null,
): WorkItemOptions | null {
  if (read === null) return null;
  const { locked, place, recite, staleAfter } = read;
  const items = read.items.map((one, index) =>
    readItem(one, inside(place, `[${index}]`), { locked, matches }),
  );
  // The second would be taken for one that is there already, and be lost without a word.
  const twice = items.find(({ id }, index) => items.findIndex((one) => one.id === id) < index);
  if (twice !== undefined) throw refusal(place, "each `id` once", twice.id);
  if (items.length > maxItems) throw refusal(place, `${maxItems} items at most`, items.length);
  return { items, recite, staleAfter };
}

export interface ItemReading {
  readonly locked?: boolean;
  readonly matches: PatternMatcher | null;
  /** What the ledger knows of the item already: it stays where the dict is silent. */
  readonly before?: WorkItem;
  readonly turn?: number;
}

/** Reads one item of a script. */
export function readItem(value: Value, place: At, more: ItemReading): WorkItem {
  const { before } = more;
  const { id, check, ...read } = readRows(row.dict(null).read(value, place), itemFields, place);
  const title = read.title ?? before?.title;
  if (title === undefined) throw refusal(inside(place, "title"), "string", null);
  const notes = read.notes ?? before?.notes ?? "";
  const problem = itemProblem({ id, title, notes });
  if (problem !== null) throw thrown(`${subject(place)}: ${problem}`);
  return {
    id,
    title,
    status: read.status ?? before?.status ?? "pending",
    priority: read.priority ?? before?.priority ?? "medium",
    notes,
    artifact: read.artifact ?? before?.artifact ?? null,
    artifactRole: read.artifactRole ?? before?.artifactRole ?? "deliverable",
    requiresRevision: read.requiresRevision ?? before?.requiresRevision ?? false,
    revisionOf: read.revisionOf ?? before?.revisionOf ?? null,
    check:
      check === null ? (before?.check ?? null) : predicateOf(check, inside(place, "check"), more.matches),
    origin: before?.origin ?? "script",
    locked: read.locked ?? before?.locked ?? more.locked === true,
    updatedTurn: more.turn ?? 0,
    revisions: before?.revisions ?? 0,
    flagged: before?.flagged ?? [],
  };
}
