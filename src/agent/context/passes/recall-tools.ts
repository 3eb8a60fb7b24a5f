/** The tools that come with the ladder: `context_recall`, and `compact_context` where a script offers it. */
import type { Conversation, StructuralTool, ToolEntry } from "../../../model/index.ts";
import { typeOf, type Value } from "../../../values/index.ts";
import type { LoopOptions } from "../../options/loop-options.ts";
import { recordIntervention } from "../../session/interventions.ts";
import { type ControlTool, controlEntry } from "../../state/control-tools.ts";
import type { Loop } from "../../state/loop-state.ts";
import { grouped } from "../compaction/notes.ts";
import { meterOf } from "../metering.ts";
import { maxRecall, recall, recalledText, recallName, usualRecall } from "../recall.ts";

const compactName = "compact_context";

const recallTool: ToolEntry = controlEntry(
  recallName,
  "Reads what is out of view: `ref` is the id of a message or call, `summary:ID`, `item:ID`, or `find:words`.",
  {
    ref: { type: "string", required: true },
    offset: { type: "integer", required: false, description: "Characters to skip; default 0." },
    limit: {
      type: "integer",
      required: false,
      description: `Characters to read; default ${usualRecall}, at most ${maxRecall}.`,
    },
  },
);

const compactTool: ToolEntry = controlEntry(
  compactName,
  "Makes the conversation shorter before your next turn. `focus`: what must be kept above all.",
  { focus: { type: "string", required: false } },
);

/** Those that a loop has. Notes of a pass that was made before it, by hand or by another loop, name `context_recall` too. */
export function ladderTools({ ladder }: LoopOptions, kept: Conversation): ControlTool[] {
  const { clear_records: cleared, externalization_records: outside } = kept.plan;
  const climbed = kept.ladder !== null || cleared.length > 0 || outside.length > 0;
  const tools: ControlTool[] =
    ladder !== null || climbed ? [{ entry: recallTool, answer: recallAnswer }] : [];
  if (ladder?.tool === true) tools.push({ entry: compactTool, answer: compactAnswer });
  return tools;
}

const compactAnswer =
  (loop: Loop): StructuralTool =>
  (_task, { arguments: args }) => {
    const focus = args.get("focus") ?? "";
    if (typeof focus !== "string")
      return { ok: false, text: `${compactName}: \`focus\` must be a text; got ${typeOf(focus)}` };
    loop.state.slots.ladder.asked = { focus: focus.trim() };
    return { ok: true, text: "The conversation is made shorter before your next turn." };
  };

/** An identical recall within so many turns points to the first. */
const sameTurns = 4;

const recallAnswer =
  (loop: Loop): StructuralTool =>
  (_task, { arguments: args, call, iteration }) => {
    const ref = args.get("ref") ?? null;
    if (typeof ref !== "string" || ref.trim() === "")
      return {
        ok: false,
        text: `${recallName}: \`ref\` must be a text; got ${ref === null ? "nothing" : typeOf(ref)}`,
      };
    const offset = countIn(args.get("offset") ?? null, 0);
    const asked = countIn(args.get("limit") ?? null, usualRecall);
    if (offset === null || asked === null)
      return { ok: false, text: `${recallName}: \`offset\` and \`limit\` must be numbers of 0 or more` };
    return recalled(loop, {
      ref: ref.trim(),
      offset,
      limit: Math.min(maxRecall, asked),
      call: call.id,
      turn: iteration + 1,
    });
  };

const countIn = (value: Value, usual: number): number | null => {
  if (value === null) return usual;
  return typeof value === "number" && value >= 0 ? value : null;
};

interface RecallRequest {
  readonly ref: string;
  readonly offset: number;
  readonly limit: number;
  readonly call: string;
  readonly turn: number;
}

function recalled(
  loop: Loop,
  { ref, offset, limit, call, turn }: RecallRequest,
): { ok: boolean; text: string } {
  const slot = loop.state.slots.ladder;
  const same = slot.recalled.findLast(
    (one) => one.ref === ref && one.offset === offset && one.limit === limit && turn - one.turn <= sameTurns,
  );
  if (same !== undefined)
    return {
      ok: true,
      text: `Recalled already in turn ${same.turn}, and still in view: ${same.call === "" ? ref : same.call}.`,
    };
  const room = roomLeft(loop, turn);
  if (room <= 0)
    return {
      ok: false,
      text: `${recallName}: enough was recalled in this turn for what the context can hold; go on with it, or recall with a smaller limit in your next turn`,
    };
  const found = recall(loop.conversation, ref, offset, Math.min(limit, room));
  if (!found.ok) return { ok: false, text: `${recallName}: ${found.problem}` };
  slot.recalling.chars += found.text.length;
  slot.recalled.push({ ref, message: found.message ?? "", offset, limit, turn, call: "" });
  if (found.message !== null) slot.recalls.set(found.message, (slot.recalls.get(found.message) ?? 0) + 1);
  recordIntervention(loop.conversation, turn, {
    kind: "recall",
    rule: ref.includes(":") ? ref.slice(0, ref.indexOf(":")) : "message",
    reason: `${grouped(found.text.length)} characters of ${ref} were read again`,
    facts: { ref, offset, chars: found.text.length, total: found.total },
    messages: found.message === null ? [] : [found.message],
    call,
  });
  loop.state.slots.interventions.count++;
  return { ok: true, text: recalledText(ref, found) };
}

/** Characters that may still be recalled in this turn: a quarter of the distance to the hard part of the budget. */
function roomLeft(loop: Loop, turn: number): number {
  const slot = loop.state.slots.ladder;
  if (slot.recalling.turn !== turn) slot.recalling = { turn, chars: 0 };
  const { tokens, budget, factor } = meterOf(loop);
  const hard = loop.options.ladder?.settings.hard ?? 1;
  const room = Math.max(0, ((hard * budget - tokens) / 4) * (4 / factor));
  // Without any room a glance is still given: the next pass makes room for it.
  return Math.floor(Math.max(room, glance)) - slot.recalling.chars;
}

const glance = 400;
