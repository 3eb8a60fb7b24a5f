/** Work items in a loop: the ledger that a session begins with, and row 13 of the stop table. */
import type { ContractState, Conversation, Ledger, WorkItem } from "../../../model/index.ts";
import type { WorkItemOptions } from "../../options/work-item-options.ts";
import { emptyLedger, itemLine, openItems } from "../../session/ledger.ts";
import type { Loop } from "../../state/loop-state.ts";
import type { Turn } from "../../state/requests.ts";
import { refuseClaim } from "../refusals.ts";
import type { GateFact } from "../stop-table.ts";
import { workItemOf } from "./ledger-changes.ts";

/** Opens the session's ledger: what it holds stays, what the options name and it lacks is added. */
export function openLedger(
  conversation: Conversation,
  options: WorkItemOptions | null,
  contract: ContractState | null,
): void {
  const wanted = [...(options?.items ?? []), ...contractItems(contract)];
  if (options === null && wanted.length === 0) return;
  const before = conversation.workItems ?? emptyLedger;
  const added = wanted.filter(({ id }) => workItemOf(before, id) === undefined);
  conversation.workItems =
    added.length === 0 && conversation.workItems !== null
      ? before
      : { version: before.version + (added.length === 0 ? 0 : 1), items: [...before.items, ...added] };
}

/** The locked items of a contract's outputs. */
function contractItems(state: ContractState | null): WorkItem[] {
  return (state?.contract.outputs ?? []).flatMap(({ id, item, predicate }) =>
    item === null
      ? []
      : [
          newWorkItem(id, item.title, {
            priority: item.priority,
            origin: "contract",
            locked: true,
            check: predicate,
          }),
        ],
  );
}

const newWorkItem = (
  id: string,
  title: string,
  more: Pick<WorkItem, "priority" | "origin" | "locked" | "check">,
): WorkItem => ({
  id,
  title,
  status: "pending",
  notes: "",
  artifact: null,
  artifactRole: "deliverable",
  requiresRevision: false,
  revisionOf: null,
  updatedTurn: 0,
  revisions: 0,
  flagged: [],
  ...more,
});

/** A plan fills a ledger that is empty. */
export function fillFromPlan(
  ledger: Ledger,
  steps: readonly { readonly content: string; readonly status: string }[],
): Ledger {
  if (ledger.items.length > 0 || steps.length === 0) return ledger;
  const items = steps.map(({ content, status }, index) => ({
    ...newWorkItem(`step-${index + 1}`, content.split("\n", 1)[0] as string, {
      priority: "medium",
      origin: "plan",
      locked: false,
      check: null,
    }),
    status:
      status === "completed" || status === "done"
        ? ("done" as const)
        : status === "in_progress"
          ? ("in_progress" as const)
          : ("pending" as const),
  }));
  return { version: ledger.version + 1, items };
}

/** Row 13: nothing is done while items are open. */
export function* itemsGate(loop: Loop): Turn<GateFact> {
  const { workItems } = loop.conversation;
  if (workItems === null || loop.options.completion?.verifyWorkItems !== true) return { kind: "passed" };
  const open = openItems(workItems);
  if (open.length === 0) return { kind: "passed" };
  const reason = open.length === 1 ? "1 work item is open" : `${open.length} work items are open`;
  const details = open.map(itemLine).join("\n");
  const sameAs = open.map(({ id, status }) => `${id} ${status}`).join(" ");
  return yield* refuseClaim(loop, { gate: "work_items", reason, details, sameAs });
}
