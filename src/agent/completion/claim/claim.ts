/**
 * The claim that the work is done: a call of `work_complete`. It is recorded when it is made and judged when its turn ends
 * (`decide.ts`); nothing that a model writes beside it is a claim.
 */
import type { Task } from "../../../interp/index.ts";
import type { PendingCall, ToolEntry, ToolOutcome } from "../../../model/index.ts";
import { Dict, List, typeOf, type Value } from "../../../values/index.ts";
import type { CompletionOptions } from "../../options/completion-options.ts";
import type { Deliverable } from "../../state/completion-state.ts";
import { type ControlTool, controlEntry } from "../../state/control-tools.ts";
import type { Loop } from "../../state/loop-state.ts";
import { emitNamed, type Turn } from "../../state/requests.ts";

/** The tool that the model is shown. */
const workCompleteName = "work_complete";
/** Names of older harnesses: answered, never shown. */
const aliases: readonly string[] = ["task_complete", "task_done"];

const maxSummary = 4000;
const maxCitations = 20;

const parameters = {
  summary: { type: "string", required: true, description: "What was done, in a few sentences." },
  evidence: {
    type: "array",
    items: { type: "string" },
    required: false,
    description: "What shows it: names of tools, paths of files, ids of work items.",
  },
};

const maxDeliverables = 50;
const maxContent = 100_000;

const withDeliverables = {
  ...parameters,
  deliverables: {
    type: "array",
    items: {
      type: "object",
      properties: { title: { type: "string" }, content: { type: "string" } },
      required: ["title", "content"],
    },
    required: false,
    description: "What came of the work: a title, and the text itself or where it is.",
  },
};

const claimEntry = (known: typeof parameters): ToolEntry =>
  controlEntry(
    workCompleteName,
    "Says that everything that was asked for is done and checked. Nothing else ends the work; the claim is checked.",
    known,
  );

const plain: ControlTool = { entry: claimEntry(parameters), answer: () => answerClaim, aliases };
const delivering: ControlTool = { ...plain, entry: claimEntry(withDeliverables) };

/** The claim as a control tool. */
export const claimTool = ({ deliverables }: CompletionOptions): ControlTool =>
  deliverables ? delivering : plain;

/** What a claim says. */
interface ClaimText {
  readonly summary: string;
  readonly evidence: readonly string[];
  readonly deliverables: readonly Deliverable[];
}

/** The names by which a model claims. */
export const claimNames: ReadonlySet<string> = new Set([workCompleteName, ...aliases]);

/** Answers a claim. It counts when its turn ends. */
function answerClaim(_task: Task, pending: PendingCall): { ok: boolean; text: string } {
  const read = parseClaim(pending.arguments);
  if (typeof read === "string") return { ok: false, text: read };
  return { ok: true, text: `Claim recorded; it is checked when this turn ends: ${read.summary}` };
}

function parseClaim(args: Dict): ClaimText | string {
  const summary = args.get("summary") ?? null;
  if (typeof summary !== "string" || summary.trim() === "")
    return `work_complete: \`summary\` must be a text that says what was done; got ${shownType(summary)}`;
  const evidence = args.get("evidence") ?? null;
  const cited = typeof evidence === "string" ? [evidence] : evidence instanceof List ? [...evidence] : [];
  if (evidence !== null && typeof evidence !== "string" && !(evidence instanceof List))
    return `work_complete: \`evidence\` must be a list of texts; got ${shownType(evidence)}`;
  if (!cited.every((item) => typeof item === "string"))
    return "work_complete: `evidence` must be a list of texts: names of tools, paths, ids of work items";
  const made = parseDeliverables(args.get("deliverables") ?? null);
  if (typeof made === "string") return made;
  return {
    deliverables: made,
    summary: summary.trim().slice(0, maxSummary),
    evidence: [...new Set((cited as string[]).map((item) => item.trim()))]
      .filter((item) => item !== "")
      .slice(0, maxCitations),
  };
}

function parseDeliverables(input: Value): readonly Deliverable[] | string {
  if (input === null) return [];
  const wrong = "work_complete: `deliverables` must be a list of `{title, content}`";
  if (!(input instanceof List)) return `${wrong}; got ${typeOf(input)}`;
  const found: Deliverable[] = [];
  for (const item of [...input].slice(0, maxDeliverables)) {
    const [title, content] = item instanceof Dict ? [item.get("title"), item.get("content")] : [];
    if (typeof title !== "string" || title.trim() === "" || typeof content !== "string") return wrong;
    found.push({ title: title.trim().slice(0, 200), content: content.slice(0, maxContent) });
  }
  return found;
}

const shownType = (value: Value): string =>
  value === null ? "nothing" : typeof value === "string" ? "an empty text" : typeOf(value);

/** What the turn claims, if it does; several claims are one, the last counts. `failed`: calls beside it that failed. */
export interface Claim extends ClaimText {
  readonly callId: string | null;
  readonly failed: readonly ToolOutcome[];
}

/** The claim of the turn that has just ended. A sentinel that was asked for by name is one. */
export function claimOfTurn(loop: Loop): Claim | null {
  const outcomes = loop.work.outcomes.filter((outcome) => outcome !== null);
  const isClaim = (outcome: ToolOutcome): boolean => claimNames.has(outcome.name);
  const made = outcomes.findLast((outcome) => isClaim(outcome) && outcome.ok);
  if (made !== undefined) {
    const read = parseClaim(made.arguments);
    const said = typeof read === "string" ? { summary: made.rendered, evidence: [], deliverables: [] } : read;
    const failed = outcomes.filter((outcome) => !outcome.ok && !isClaim(outcome));
    return { ...said, callId: made.callId, failed };
  }
  return bySentinel(loop)
    ? {
        summary: loop.state.answer.slice(0, maxSummary),
        evidence: [],
        deliverables: [],
        callId: null,
        failed: [],
      }
    : null;
}

function bySentinel({ sentinel, work }: Loop): boolean {
  if (sentinel === null || work.held) return false;
  return work.doneMarker === sentinel || work.text.includes(sentinel);
}

/** Keeps what was claimed for the result, and tells it. */
export function* noteClaim(loop: Loop, { summary, evidence, deliverables, callId }: Claim): Turn<void> {
  const { completion } = loop.state.slots;
  completion.attempts++;
  completion.summary = summary;
  completion.evidence = evidence;
  completion.deliverables = deliverables;
  completion.callId = callId;
  if (loop.listens())
    yield* emitNamed("completion_claimed", {
      summary,
      evidence: new List([...evidence]),
      attempt: completion.attempts,
    });
}
