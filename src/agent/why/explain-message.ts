/** Where a message comes from, when it was seen how, and what became of it. */
import type { Conversation, LoggedMessage, SeenCall } from "../../model/index.ts";
import { messageChars } from "../../model/index.ts";
import { answer, counted, listed, NoAnswer, type WhyAnswer } from "./answer.ts";
import { saidOf } from "./explain-rules.ts";
import {
  aboutMessage,
  firstCallOf,
  logged,
  runsOf,
  sourceOf,
  standingInCall,
  type ViewRun,
} from "./seen-views.ts";

export function explainMessage(conversation: Conversation, id: string): WhyAnswer {
  const one = messageAsked(conversation, id);
  const runs = runsOf(conversation, id);
  return answer(`${id} is ${aboutMessage(conversation, one)}, ${messageChars(one.message)} characters`, [
    answer(madeText(conversation, one)),
    ...causeOf(
      conversation,
      conversation.plan.summarization_records.find((record) => record.summary_message_id === id)?.version,
    ),
    ...(runs.length === 0 ? [answer("it was part of no request: no model was called after it")] : []),
    ...runs.map((run) => answer(runText(run), reasonsOf(conversation, id, run))),
    ...conversation.interventions
      .list()
      .filter(({ messages }) => messages.includes(id))
      .map(saidOf),
  ]);
}

/** Why a message is not in the request of a call. */
export function explainMissing(conversation: Conversation, call: SeenCall, id: string): WhyAnswer {
  messageAsked(conversation, id);
  const first = firstCallOf(conversation, id);
  if (first === undefined || call.log < Number(id.slice(4)))
    return answer(`${id} is not in the request of turn ${call.turn}: it was said after it`);
  const standing = standingInCall(conversation, call, id);
  if (standing === "whole" || standing === "cleared" || standing === "kept outside" || standing === "changed")
    return answer(`${id} is in the request of turn ${call.turn}: ${standing}`);
  const run = runsOf(conversation, id).findLast(({ from, to }) => from.log <= call.log && call.log <= to.log);
  return answer(
    `${id} is not in the request of turn ${call.turn}: ${standing}`,
    run === undefined ? [] : [answer(runText(run)), ...reasonsOf(conversation, id, run)],
  );
}

function messageAsked(conversation: Conversation, id: string): LoggedMessage {
  const found = logged(conversation, id);
  if (found !== undefined) return found;
  throw new NoAnswer(
    `session '${conversation.id}' has no message '${id}'; there are ${listed(conversation.log.map((one) => one.id))}`,
  );
}

function madeText(conversation: Conversation, one: LoggedMessage): string {
  const first = firstCallOf(conversation, one.id);
  const when =
    first === undefined
      ? "after the last request"
      : `before the request of turn ${first.turn} (${first.loop})`;
  return `made by ${sourceOf(conversation, one)}, ${when}`;
}

const runText = ({ standing, from, to }: ViewRun): string => {
  const turns = from.turn === to.turn ? `in turn ${from.turn}` : `in turns ${from.turn} to ${to.turn}`;
  return `${standing} ${turns} (${from.loop})`;
};

/** What put it there: the records of the plan that came between the calls. */
function reasonsOf(conversation: Conversation, id: string, { standing, from }: ViewRun): WhyAnswer[] {
  const { plan } = from;
  const number = Number(id.slice("msg_".length));
  const covers = ({ first, last }: { readonly first: string; readonly last: string }): boolean =>
    Number(first.slice(4)) <= number && number <= Number(last.slice(4));
  switch (standing) {
    case "cleared":
      return plan.clear_records
        .filter((record) => record.message_id === id)
        .slice(-1)
        .map((record) =>
          answer(`cleared at plan version ${record.version}: ${record.reason}, ${record.durability}`),
        );
    case "kept outside":
      return plan.externalization_records
        .filter((record) => record.message_id === id)
        .slice(-1)
        .map((record) =>
          answer(`kept outside at plan version ${record.version}: ${record.chars} characters, ${record.ref}`),
        );
    case "summarized":
      return plan.summarization_records
        .filter(covers)
        .slice(0, 1)
        .map((record) =>
          answer(
            `one of ${counted(record.count, "message")} summarized into ${record.summary_message_id} at plan version ${record.version} (${record.maker})`,
            [...causeOf(conversation, record.version), ...entriesAbout(conversation, id)],
          ),
        );
    case "dropped":
      return plan.drop_records
        .filter(covers)
        .slice(-1)
        .map((record) =>
          answer(
            `dropped${record.count === 1 ? "" : ` with ${counted(record.count - 1, "other")}`} at plan version ${record.version}: ${record.reason}`,
          ),
        );
    case "left out":
    case "changed":
      return [
        answer(
          "by a projection, context_callback, timestamp_messages, message_decorator or reminders, after the view",
        ),
      ];
    case "whole":
      return [];
  }
}

/** Why the pass was made that gave the plan this version. */
function causeOf({ interventions }: Conversation, version: number | undefined): WhyAnswer[] {
  const made = interventions
    .list()
    .find(({ kind, facts }) => kind === "compaction" && version !== undefined && facts.version === version);
  const { before, budget } = made?.facts ?? {};
  if (made === undefined || typeof before !== "number" || typeof budget !== "number") return [];
  return [
    answer(`because of ${made.rule}: the coming request had about ${before} of ${budget} tokens [${made.n}]`),
  ];
}

/** The entries of the summary that name it as their source. */
function entriesAbout(conversation: Conversation, id: string): WhyAnswer[] {
  const { summary } = conversation.ladder ?? {};
  if (summary === undefined) return [];
  const entries = [
    ...summary.facts,
    ...summary.decisions,
    ...summary.open_items,
    ...summary.tool_outcomes,
    ...summary.artifact_refs,
  ];
  const found = entries.filter(({ sources }) => sources.includes(id)).map((entry) => entry.id);
  const replaced = summary.superseded
    .filter((one) => found.includes(one.id))
    .map(({ id: entry, by, reason }) =>
      answer(
        `the entry ${entry} is superseded${by === null ? "" : ` by ${by}`}${reason === "" ? "" : `: ${reason}`}`,
      ),
    );
  return found.length === 0 ? [] : [answer(`in the entries ${listed(found)} of the summary`, replaced)];
}
