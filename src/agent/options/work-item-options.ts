/** The option `work_items` (docs/control-plane.md): a ledger that the agent keeps, and what it begins with. */
import {
  type ItemPriority,
  type ItemStatus,
  itemProblem,
  maxItems,
  type PatternMatcher,
  type WorkItem,
} from "../../model/index.ts";
import { type Field, FieldReader, field, fieldTable, meantField } from "../../table/index.ts";
import { Dict, List, thrown, typeOf, type Value } from "../../values/index.ts";
import { readPredicate } from "./predicate-options.ts";

export interface WorkItemOptions {
  readonly items: readonly WorkItem[];
  /** Where the ledger is told again: in compaction messages and refusals, or in the system text as well. */
  readonly recite: "compaction" | "system" | "never";
  /** Turns with writes after which an open ledger is stale. */
  readonly staleAfter: number;
}

export const itemFields = fieldTable(
  (): readonly Field[] => [
    field("id", "string", "What it is called: 1 to 64 letters, digits, `_`, `.`, `/`, `-`."),
    field("title", "string", "One line."),
    field("status", "string", "How far it is.", {
      values: ["pending", "in_progress", "done", "skipped"],
      default: '"pending"',
    }),
    field("priority", "string", "How much it matters.", {
      values: ["high", "medium", "low"],
      default: '"medium"',
    }),
    field("notes", "string", "What there is to say about it.", { default: '""' }),
    field("artifact", "string", "The text that was made for it."),
    field("artifact_role", "string", "Whom the text is for.", {
      values: ["deliverable", "working", "control"],
      default: '"deliverable"',
    }),
    field("requires_revision", "bool", "It was done and is not good enough.", { default: "false" }),
    field("revision_of", "string", "The item that it does again."),
    field("check", "dict", "A predicate that must hold before it is done."),
    field("locked", "bool", "The model can't skip it.", { default: "false" }),
  ],
  { strict: true },
);

export const workItemFields = fieldTable(
  (): readonly Field[] => [
    field("items", "list<dict>", "What the ledger begins with.", { nested: itemFields }),
    field("recite", "string", "Where the ledger is told again.", {
      values: ["compaction", "system", "never"],
      default: '"compaction"',
    }),
    field("locked", "bool", "The model can skip none of these items.", { default: "false" }),
    field("stale_after", "int", "Turns with writes after which an open ledger is stale.", {
      default: "12",
      range: [1, null],
    }),
  ],
  // A list of items is not this dict.
  { strict: true, form: "dict" },
);

/** `null`: nobody keeps a ledger. */
export function readWorkItems(
  options: Dict,
  caller: string,
  matches: PatternMatcher | null,
): WorkItemOptions | null {
  const value = options.get("work_items") ?? null;
  if (value === null || value === false) return null;
  if (value !== true && !(value instanceof List) && !(value instanceof Dict))
    throw thrown(
      `${caller}: \`work_items\` must be a bool, a list of items, a dict, or nil; got ${typeOf(value)}`,
    );
  const dict = value instanceof Dict ? value : null;
  const read = new FieldReader(caller, dict, workItemFields, "work_items");
  const list = value instanceof List ? value.toArray() : (read.list("items") ?? []);
  const locked = read.bool("locked") === true;
  const path = value instanceof List ? "work_items" : "work_items.items";
  const items = list.map((item, index) =>
    readItem(item, `${caller}: \`${path}[${index}]\``, { locked, matches }),
  );
  // The second would be taken for one that is there already, and be lost without a word.
  const twice = items.find(({ id }, index) => items.findIndex((one) => one.id === id) < index);
  if (twice !== undefined) throw thrown(`${caller}: \`${path}\`: two items have the id \`${twice.id}\``);
  if (items.length > maxItems)
    throw thrown(`${caller}: \`${path}\`: ${maxItems} items at most; got ${items.length}`);
  return {
    items,
    recite: read.text("recite") as WorkItemOptions["recite"],
    staleAfter: read.number("stale_after") as number,
  };
}

export interface ItemReading {
  readonly locked?: boolean;
  readonly matches: PatternMatcher | null;
  /** What the ledger knows of the item already: it stays where the dict is silent. */
  readonly before?: WorkItem;
  readonly turn?: number;
}

function refuseUnknownItemKeys(item: Dict, where: string): void {
  const unknown = item.keys().find((key) => itemFields.get(key) === undefined);
  if (unknown !== undefined)
    throw thrown(
      `${where}: unknown key \`${unknown}\`; ${meantField(unknown, itemFields.names(), "there are ")}`,
    );
}

/** Reads one item of a script. */
export function readItem(value: Value, where: string, more: ItemReading): WorkItem {
  if (!(value instanceof Dict)) throw thrown(`${where} must be a dict; got ${typeOf(value)}`);
  refuseUnknownItemKeys(value, where);
  const { before } = more;
  const read = new FieldReader(where, value, itemFields);
  const id = read.text("id");
  const title = read.text("title") ?? before?.title;
  if (id === undefined || title === undefined) throw thrown(`${where} needs \`id\` and \`title\``);
  const kept = <T>(name: string, own: T | undefined, was: T | undefined, usual: T): T =>
    value.has(name) && own !== undefined ? own : (was ?? usual);
  const role = read.text("artifact_role") as WorkItem["artifactRole"];
  const revises = read.bool("requires_revision");
  const check = value.get("check") ?? null;
  const notes = kept("notes", read.text("notes"), before?.notes, "");
  const problem = itemProblem({ id, title, notes });
  if (problem !== null) throw thrown(`${where}: ${problem}`);
  return {
    id,
    title,
    status: kept("status", read.text("status") as ItemStatus, before?.status, "pending"),
    priority: kept("priority", read.text("priority") as ItemPriority, before?.priority, "medium"),
    notes,
    artifact: kept<string | null>("artifact", read.text("artifact"), before?.artifact, null),
    artifactRole: kept("artifact_role", role, before?.artifactRole, "deliverable"),
    requiresRevision: kept("requires_revision", revises, before?.requiresRevision, false),
    revisionOf: kept<string | null>("revision_of", read.text("revision_of"), before?.revisionOf, null),
    check:
      check === null ? (before?.check ?? null) : readPredicate(check, `${where}: \`check\``, more.matches),
    origin: before?.origin ?? "script",
    locked: kept("locked", read.bool("locked"), before?.locked, more.locked === true),
    updatedTurn: more.turn ?? 0,
    revisions: before?.revisions ?? 0,
    flagged: before?.flagged ?? [],
  };
}
