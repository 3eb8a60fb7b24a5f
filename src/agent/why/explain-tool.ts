/** When the model was told of a tool, and how each call of it went. */
import { type Conversation, messageText, type SeenCall } from "../../model/index.ts";
import { display } from "../../values/index.ts";
import { type Answer, answer, listed, NoAnswer } from "./answer.ts";
import { messagePosition } from "./seen-views.ts";

export function explainTool(conversation: Conversation, name: string): Answer {
  const { calls } = conversation.seen;
  const known = new Set(calls.flatMap(({ tools }) => tools));
  const made = conversation.log.flatMap(({ id, message }) =>
    (message.tool_calls ?? []).filter((call) => call.name === name).map((call) => ({ id, call })),
  );
  if (!known.has(name) && made.length === 0)
    throw new NoAnswer(
      `the model was never told of a tool '${name}' in session '${conversation.id}', and never called it; there are ${listed([...known].sort())}`,
    );
  return answer(`${name}: ${offeredText(calls, name)}`, [
    ...absences(conversation, calls, name),
    ...made.map(({ id, call }) => {
      // Models repeat their ids: the result is the next one of this id.
      const result = conversation.log
        .slice(messagePosition(id))
        .find(({ message }) => (message.tool_call_id ?? message.tool_use_id) === call.id);
      const how =
        result === undefined
          ? "no result"
          : `${result.message.is_error === true ? "failed" : "ok"} (${result.id}): ${resultHead(messageText(result.message))}`;
      return answer(`called in ${id} as ${call.id}, ${how}`);
    }),
  ]);
}

function offeredText(calls: readonly SeenCall[], name: string): string {
  const offered = calls.filter(({ tools }) => tools.includes(name));
  if (offered.length === 0) return "the model was never told of it";
  if (offered.length === calls.length) return "the model was told of it in every request";
  return `the model was told of it in ${offered.length} of ${calls.length} requests`;
}

/** Requests in which it was not offered although others had it, and what is known of why. */
function absences(conversation: Conversation, calls: readonly SeenCall[], name: string): Answer[] {
  const without = calls.filter(({ tools }) => !tools.includes(name));
  if (without.length === 0 || without.length === calls.length) return [];
  const gone = conversation.audit.filter(
    ({ kind, text, metadata }) =>
      kind.includes("narrow") &&
      (text.includes(name) || (metadata !== null && display(metadata).includes(name))),
  );
  return [
    answer(
      `not offered in turn${without.length === 1 ? "" : "s"} ${listed(without.map(({ turn }) => `${turn}`))}`,
      gone.map(({ text, kind }) => answer(text === "" ? kind : text)),
    ),
  ];
}

/** Without the frame around a result. */
function resultHead(text: string): string {
  const inner =
    /^\[(?:result of|error from) [^\]\n]+\]\n([^\n]*)/.exec(text)?.[1] ?? text.split("\n", 1)[0] ?? "";
  return inner.length > 120 ? `${inner.slice(0, 120)}…` : inner;
}
