/** How a loop ended, and why it went on after a turn. */
import {
  type Conversation,
  type Intervention,
  type LoggedMessage,
  messageChars,
  type SeenCall,
  type SeenDecision,
} from "../../model/index.ts";
import { stopRows } from "../completion/stop-table.ts";
import { answer, counted, listed, NoAnswer, type WhyAnswer } from "./answer.ts";
import { saidOf } from "./explain-rules.ts";
import { aboutMessage, messagesOf, sourceOf } from "./seen-views.ts";

/** Reasons of ends that row 17 found: there a loop otherwise goes on. */
const lastRowEnds: Readonly<Record<string, string>> = {
  idle: "the loop waits, and nothing in this run can wake it",
  watchdog: "the loop waited, and nothing woke it in time",
  max_nudges: "too many answers in a row called nothing",
  empty_answer: "the model answered nothing",
  refusal: "the model declined to answer",
  max_tokens: "the answer was cut at the token limit",
};

function stopRowText({ row, verdict, reason }: Pick<SeenDecision, "row" | "verdict" | "reason">): string {
  const ended = row === 17 && verdict === "end" ? lastRowEnds[reason ?? ""] : undefined;
  return `row ${row} of the stop table: ${ended ?? stopRows[row]?.found ?? "unknown"}`;
}

/** The model calls that failed in the turn of a decision. */
const callFailures = (
  { seen }: Conversation,
  { loop, turn }: Pick<SeenDecision, "loop" | "turn">,
): WhyAnswer[] =>
  seen.failures
    .filter((one) => one.loop === loop && one.turn === turn)
    .map(({ text }) => answer(`the model call of turn ${turn} failed: ${text}`));

interface StopData {
  readonly status?: string;
  readonly reason?: string;
}

export function explainStop(conversation: Conversation, loop: string | undefined): WhyAnswer {
  const { calls, decisions } = conversation.seen;
  const loops = [...new Set(calls.map((call) => call.loop))];
  const asked = loop ?? loops.at(-1);
  if (asked === undefined) throw new NoAnswer(`no model was called in session '${conversation.id}'`);
  if (!loops.includes(asked))
    throw new NoAnswer(`session '${conversation.id}' has no loop '${asked}'; there are ${listed(loops)}`);
  const own = calls.filter((call) => call.loop === asked);
  const decided = decisions.filter((one) => one.loop === asked);
  const last = decided.at(-1);
  const ends = conversation.loopLogs.from(0).filter(({ type }) => type === "session.complete");
  const end = ends[loops.indexOf(asked) - loops.length + ends.length];
  const turns = own.at(-1)?.turn ?? 0;
  const count = counted(turns, "turn");
  const data = end?.data as StopData | undefined;
  const ended = asked === loops.at(-1) || data !== undefined;
  const claim =
    data === undefined || !ended
      ? `the loop ${asked} did not end: it was left after ${count}`
      : `the loop ${asked} ended ${data.status}${data.reason === data.status ? "" : ` (${data.reason})`} after ${count}`;
  const interventions = conversation.interventions.list().filter((made) => made.loop === asked);
  const stops = interventions.filter(({ kind }) => kind === "stop" || kind === "stall_stop");
  return answer(claim, [
    ...(last === undefined || last.verdict === "continue"
      ? data?.status === "budget_exhausted"
        ? [answer(`a limit was reached: ${data.reason}`)]
        : []
      : [answer(stopRowText(last), [...callFailures(conversation, last), ...stops.map(saidOf)])]),
    ...otherInterventions(conversation, interventions),
  ]);
}

/** A refused claim, with the requirements that the contract found unmet in its turn. */
function refusalOf({ seen }: Conversation, made: Intervention): WhyAnswer {
  const said = saidOf(made);
  if (made.kind !== "refusal" || made.rule !== "contract") return said;
  const unmet = seen.checks.filter(({ turn, status }) => turn === made.turn && status !== "met");
  const named = new Map(unmet.map((check) => [check.requirement, check]));
  const reasons = [...named.values()].map(({ requirement, status, notes }) =>
    answer(`the requirement ${requirement} is ${status}${notes === "" ? "" : `: ${notes}`}`),
  );
  return { ...said, because: [...reasons, ...said.because] };
}

/** Refusals of claims before the end, and what else the runtime did. */
function otherInterventions(conversation: Conversation, interventions: readonly Intervention[]): WhyAnswer[] {
  const refusals = interventions.filter(({ kind }) => kind === "refusal" || kind === "hook");
  const others = interventions.filter(
    ({ kind }) => !["refusal", "hook", "stop", "stall_stop", "recall"].includes(kind),
  );
  const found: WhyAnswer[] = [];
  if (refusals.length > 0)
    found.push(
      answer(
        `${refusals.length} claim${refusals.length === 1 ? " was" : "s were"} refused before`,
        refusals.map((made) => refusalOf(conversation, made)),
      ),
    );
  if (others.length > 0)
    found.push(
      answer(
        `the runtime intervened ${others.length === 1 ? "once" : `${others.length} times`} besides`,
        others.map(saidOf),
      ),
    );
  return found;
}

export function explainTurn(conversation: Conversation, call: SeenCall): WhyAnswer {
  const { calls, decisions } = conversation.seen;
  const decided = decisions.findLast((one) => one.loop === call.loop && one.turn === call.turn);
  const at = calls.indexOf(call);
  const before = calls.slice(0, at).findLast((one) => one.loop === call.loop);
  const next = calls[at + 1];
  const claim =
    decided === undefined
      ? `nothing is known of what was decided after turn ${call.turn} (${call.loop})`
      : decided.verdict === "end"
        ? `the loop ended after turn ${call.turn}: ${stopRowText(decided)}`
        : `turn ${call.turn} went on: ${stopRowText(decided)}${decided.gate === null ? "" : ` (${decided.gate})`}`;
  const seen = messagesOf(conversation, call);
  const chars = seen.reduce((sum, { message }) => sum + messageChars(message), 0);
  const system = call.system.reduce((sum, part) => sum + part.chars, 0);
  const did = conversation.log.slice(call.log, next?.log ?? conversation.log.length);
  const between = conversation.interventions
    .list()
    .filter(({ n }) => n > call.interventions && n <= (next?.interventions ?? Number.POSITIVE_INFINITY));
  return answer(claim, [
    ...callFailures(conversation, call),
    answer(
      `it saw ${counted(seen.length, "message")} of ${counted(chars, "character")}, ${counted(call.system.length, "system part")} of ${system}, ${counted(call.tools.length, "tool")}`,
      call.system.map((part) => answer(`system:${part.id}, ${part.chars} characters`)),
    ),
    answer("what had changed since the turn before", changes(conversation, before, call)),
    answer(
      "what came of it",
      did.map((one) => answer(lineAboutMessage(conversation, one))),
    ),
    ...between.map((made) => refusalOf(conversation, made)),
  ]);
}

const lineAboutMessage = (conversation: Conversation, one: LoggedMessage): string =>
  `${one.id}: ${aboutMessage(conversation, one)}`;

function changes(conversation: Conversation, before: SeenCall | undefined, call: SeenCall): WhyAnswer[] {
  if (before === undefined) return [answer("it was the first turn of the loop")];
  const added = conversation.log.slice(before.log, call.log);
  const lines = [
    answer(
      `${counted(added.length, "message")} added`,
      added.map((one) => answer(`${one.id} from ${sourceOf(conversation, one)}`)),
    ),
  ];
  if (before.plan.version !== call.plan.version)
    lines.push(answer(`the view was changed: plan version ${before.plan.version} to ${call.plan.version}`));
  for (const part of call.system)
    if (!before.system.some(({ id }) => id === part.id)) lines.push(answer(`system:${part.id} is new`));
    else if (!before.system.includes(part)) lines.push(answer(`system:${part.id} has other words`));
  for (const { id } of before.system)
    if (!call.system.some((part) => part.id === id)) lines.push(answer(`system:${id} is gone`));
  const gone = before.tools.filter((name) => !call.tools.includes(name));
  const come = call.tools.filter((name) => !before.tools.includes(name));
  if (gone.length > 0) lines.push(answer(`no longer offered: ${listed(gone)}`));
  if (come.length > 0) lines.push(answer(`offered now: ${listed(come)}`));
  return lines;
}
