/** When the model was told of a tool, and how each call of it went. */
import { type Conversation, messageText, type SeenCall } from "../../model/index.ts";
import { answer, listed, NoAnswer, type WhyAnswer } from "./answer.ts";
import { messagePosition } from "./seen-views.ts";

export function explainTool(conversation: Conversation, name: string): WhyAnswer {
  const { calls } = conversation.seen;
  const known = new Set(calls.flatMap(({ tools, hidden }) => [...tools, ...hidden.map((one) => one.name)]));
  const made = conversation.log.flatMap(({ id, message }) =>
    (message.tool_calls ?? []).filter((call) => call.name === name).map((call) => ({ id, call })),
  );
  if (!known.has(name) && made.length === 0)
    throw new NoAnswer(
      `the model was never told of a tool '${name}' in session '${conversation.id}', and never called it; there are ${listed([...known].sort())}`,
    );
  return answer(`${name}: ${offeredText(calls, name)}`, [
    ...absences(calls, name),
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

/** Requests in which it was not offered, by what kept it from the model. */
function absences(calls: readonly SeenCall[], name: string): WhyAnswer[] {
  const without = calls.filter(({ tools }) => !tools.includes(name));
  const reasonOf = ({ hidden }: SeenCall): string | null =>
    hidden.find((one) => one.name === name)?.by ?? null;
  return [...Map.groupBy(without, reasonOf)].flatMap(([reason, hidden]) =>
    reason === null && without.length === calls.length
      ? []
      : [
          answer(
            `not offered in turn${hidden.length === 1 ? "" : "s"} ${listed(hidden.map(({ turn }) => `${turn}`))}`,
            reason === null ? [] : [answer(reason)],
          ),
        ],
  );
}

/** What a result says in a line: without the frame around it; of a failure that is JSON its own words. */
function resultHead(text: string): string {
  const inner = /^\[(?:result of|error from) [^\]\n]+\]\n([\s\S]*)/.exec(text)?.[1] ?? text;
  const words = failureWords(inner) ?? inner.split("\n[end of ", 1)[0] ?? "";
  const line = words.replaceAll(/\s+/g, " ").trim();
  return line.length > headChars ? `${line.slice(0, headChars)}…` : line;
}

const headChars = 300;

function failureWords(text: string): string | null {
  const [, before = "", json] = /^([\w ]{0,40}: )?(\{[\s\S]*\})/.exec(text) ?? [];
  if (json === undefined) return null;
  try {
    const body = JSON.parse(json) as Record<string, unknown>;
    const { denial, error } = body as { readonly denial?: unknown; readonly error?: unknown };
    const inside = [denial, error].find((one) => typeof one === "object" && one !== null) as
      | Record<string, unknown>
      | undefined;
    const found = [inside?.reason, inside?.message, body.reason, body.message, error];
    const words = found.find((one) => typeof one === "string") as string | undefined;
    return words === undefined ? null : before + words;
  } catch {
    return null;
  }
}
