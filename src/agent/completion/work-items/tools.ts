/** The five tools by which a model keeps its ledger. The loop answers them itself: no policy, no approval speaks about them. */
import type { Task } from "../../../interp/index.ts";
import { onChildPath } from "../../../interp/index.ts";
import type {
  ArtifactRole,
  ItemPriority,
  ItemStatus,
  JsonObject,
  PendingCall,
} from "../../../model/index.ts";
import { publishNamed } from "../../../model/index.ts";
import { Dict, ScriptError, typeOf, uncaughtText, type Value } from "../../../values/index.ts";
import {
  completionPercentage,
  emptyLedger,
  ledgerText,
  planValue,
  progressLine,
} from "../../session/ledger.ts";
import { type ControlTool, controlEntry } from "../../state/control-tools.ts";
import type { Loop } from "../../state/loop-state.ts";
import { turnFields } from "../../state/turn-fields.ts";
import { lookAtPredicate } from "../task-contract/look-at.ts";
import {
  addItem,
  artifactRoles,
  edgeProblem,
  flagItem,
  itemPriorities,
  itemStatuses,
  type LedgerAnswer,
  storeArtifact,
  unknownItem,
  updateItem,
  workItemOf,
} from "./ledger-changes.ts";
import { cleanArtifact } from "./narration.ts";

interface ToolReply {
  readonly ok: boolean;
  readonly text: string;
}

type ToolRun = (task: Task, loop: Loop, args: Dict) => Promise<ToolReply> | ToolReply;

function tool(name: string, description: string, parameters: JsonObject, answer: ToolRun): ControlTool {
  const entry = controlEntry(name, description, parameters);
  const said =
    (loop: Loop) =>
    async (task: Task, { arguments: args }: PendingCall): Promise<ToolReply> => {
      try {
        return await answer(task, loop, args);
      } catch (error) {
        if (!(error instanceof BadArgument)) throw error;
        return { ok: false, text: `${name}: ${error.message}` };
      }
    };
  return { entry, answer: said };
}

class BadArgument extends Error {}

function text(args: Dict, name: string): string {
  const value = args.get(name) ?? null;
  if (typeof value === "string") return value;
  throw new BadArgument(`\`${name}\` must be a text; got ${value === null ? "nothing" : typeOf(value)}`);
}

function oneOf<T extends string>(args: Dict, name: string, values: readonly T[], usual: T | null): T {
  const value: Value = args.get(name) ?? usual;
  if (values.includes(value as T)) return value as T;
  const got = typeof value === "string" ? `"${value}"` : value === null ? "nothing" : typeOf(value);
  throw new BadArgument(`\`${name}\` must be one of ${values.join(", ")}; got ${got}`);
}

const string = (description: string, required = true): JsonObject => ({
  type: "string",
  required,
  description,
});

export const workItemTools: readonly ControlTool[] = [
  tool(
    "work_item_add",
    "Adds a piece of the work to your ledger.",
    {
      id: string("A short id: letters, digits, `_`, `.`, `/`, `-`."),
      title: string("What is to be done, one line."),
      priority: {
        type: "string",
        enum: [...itemPriorities],
        required: false,
        description: "medium unless given.",
      },
    },
    (task, loop, args) => {
      const wanted = {
        id: text(args, "id"),
        title: text(args, "title"),
        priority: oneOf<ItemPriority>(args, "priority", itemPriorities, "medium"),
        origin: "model",
      } as const;
      return settle(task, loop, (ledger) => addItem(ledger, wanted, turnOf(loop)));
    },
  ),
  tool(
    "work_item_update",
    "Changes the status of a work item, or its notes; notes that begin with `+` are appended. Skipping needs notes.",
    {
      id: string("The item."),
      status: { type: "string", enum: [...itemStatuses], required: false },
      notes: string("What there is to say about it.", false),
    },
    updateAnswer,
  ),
  tool("work_item_list", "Shows your ledger.", {}, (_task, { conversation }) => {
    const ledger = conversation.workItems ?? emptyLedger;
    return { ok: true, text: ledgerText(ledger) || `The ledger is empty.\n${progressLine(ledger)}` };
  }),
  tool(
    "work_item_set_artifact",
    "Stores the finished text of a work item: the content alone, without a word about it.",
    {
      id: string("The item."),
      content: string("The text itself."),
      role: {
        type: "string",
        enum: [...artifactRoles],
        required: false,
        description:
          "deliverable (for whoever asked), working (for yourself) or control; deliverable unless given.",
      },
    },
    artifactAnswer,
  ),
  tool(
    "work_item_flag_revision",
    "Says that an item that is done is not good enough.",
    { id: string("The item."), reason: string("What is not good enough.") },
    (task, loop, args) => {
      const [id, reason] = [text(args, "id"), text(args, "reason")];
      return settle(task, loop, (ledger) => flagItem(ledger, id, reason, turnOf(loop)));
    },
  ),
];

const turnOf = ({ work }: Loop): number => work.iteration + 1;

async function updateAnswer(task: Task, loop: Loop, args: Dict): Promise<ToolReply> {
  const id = text(args, "id");
  const status = args.has("status") ? oneOf<ItemStatus>(args, "status", itemStatuses, null) : null;
  const notes = args.has("notes") ? text(args, "notes") : null;
  if (status === null && notes === null) throw new BadArgument("give `status`, `notes` or both");
  const problem = status === "done" ? await checkProblem(task, loop, id) : null;
  if (problem !== null) return { ok: false, text: `work_item_update: ${problem}` };
  return settle(task, loop, (ledger) => updateItem(ledger, id, { status, notes }, turnOf(loop)));
}

/** Why an item with a check can't be done yet. */
async function checkProblem(task: Task, loop: Loop, id: string): Promise<string | null> {
  const { conversation } = loop;
  const item = workItemOf(conversation.workItems ?? emptyLedger, id);
  const check = item?.check ?? null;
  if (
    item === undefined ||
    check === null ||
    item.status === "done" ||
    edgeProblem(item, "done", "") !== null
  )
    return null;
  try {
    const about = { loop, conversation, beginning: new Map<string, string | null>() };
    const look = await onChildPath(task, () => lookAtPredicate(task, check, about));
    const { completion } = loop.state.slots;
    if (look.status !== "met") return `${id} is not done: ${look.notes}`;
    completion.heldItems.set(id, completion.called);
    return null;
  } catch (error) {
    if (!(error instanceof ScriptError)) throw error;
    return `the check of ${id} does not work: ${uncaughtText(error)}`;
  }
}

function artifactAnswer(task: Task, loop: Loop, args: Dict): Promise<ToolReply> | ToolReply {
  const id = text(args, "id");
  const contentText = text(args, "content");
  const role = oneOf<ArtifactRole>(args, "role", artifactRoles, "deliverable");
  const ledger = loop.conversation.workItems ?? emptyLedger;
  if (workItemOf(ledger, id) === undefined)
    return { ok: false, text: `work_item_set_artifact: ${unknownItem(ledger, id)}` };
  const { content, level, stripped } =
    role === "control" ? cleanContent(contentText) : cleanArtifact(contentText);
  if (content.trim() === "")
    return {
      ok: false,
      text: `work_item_set_artifact: nothing is left of the content but words about it; store the content itself`,
    };
  const lines = stripped.length === 1 ? "1 line" : `${stripped.length} lines`;
  const about =
    level === "clean"
      ? ""
      : ` ${lines} about the text instead of in it ${stripped.length === 1 ? "was" : "were"} left out.` +
        (level === "heavy" ? " If that was wrong, store it again." : "");
  const stored = (answer: LedgerAnswer): LedgerAnswer =>
    answer.ok && about !== "" ? { ...answer, text: answer.text.replace("\n", `${about}\n`) } : answer;
  const more = async (): Promise<void> => {
    const item = workItemOf(loop.conversation.workItems ?? emptyLedger, id);
    if (item !== undefined && loop.listens())
      await publishNamed(
        task,
        loop.state.sessionId,
        "deliverables_updated",
        Dict.of({ item_id: id, title: item.title, role, level, ...turnFields(loop) }),
      );
  };
  return settle(task, loop, (before) => stored(storeArtifact(before, id, content, role, turnOf(loop))), more);
}

const cleanContent = (content: string) =>
  ({ content, level: "clean", stripped: [] as readonly string[] }) as const;

/** Puts a change into the session and tells it. */
async function settle(
  task: Task,
  loop: Loop,
  change: (ledger: NonNullable<Loop["conversation"]["workItems"]>) => LedgerAnswer,
  more?: () => Promise<void>,
): Promise<ToolReply> {
  const { conversation } = loop;
  const answer = change(conversation.workItems ?? emptyLedger);
  if (!answer.ok) return answer;
  conversation.workItems = answer.ledger;
  if (answer.change !== null && loop.listens())
    await emitLedgerChange(task, loop.state.sessionId, answer.ledger, answer.change, turnFields(loop));
  await more?.();
  return { ok: true, text: answer.text };
}

/** `work_item_changed`, and the whole list as a plan, so that editors show one. */
export async function emitLedgerChange(
  task: Task,
  sessionId: string,
  ledger: NonNullable<Loop["conversation"]["workItems"]>,
  { item, change }: NonNullable<Extract<LedgerAnswer, { ok: true }>["change"]>,
  where: { readonly turn?: number; readonly max_turns?: number | null } = {},
): Promise<void> {
  const fields = {
    item_id: item.id,
    change,
    status: item.status,
    completion_percentage: completionPercentage(ledger),
    ...where,
  };
  await publishNamed(task, sessionId, "work_item_changed", Dict.of(fields));
  await publishNamed(task, sessionId, "plan", Dict.of({ plan: planValue(ledger) }));
}
