/** Which parts of the requests have a text, and which had it until when. */
import { type Conversation, messageText, type SeenCall } from "../../model/index.ts";
import { answer, NoAnswer, type WhyAnswer } from "./answer.ts";
import { aboutMessage, logged, messagesOf, sourceOf } from "./seen-views.ts";

/** A part that has the text, and the calls that it was in. */
interface PartWithText {
  readonly part: string;
  readonly source: string;
  readonly about: string;
  readonly first: SeenCall;
  last: SeenCall;
}

export function explainText(conversation: Conversation, text: string): WhyAnswer {
  if (text === "") throw new NoAnswer("an empty text is everywhere");
  const { calls } = conversation.seen;
  const last = calls.at(-1);
  if (last === undefined) throw new NoAnswer(`no model was called in session '${conversation.id}'`);
  const holders = new Map<string, PartWithText>();
  const note = (call: SeenCall, part: string, source: string, about: string): void => {
    const found = holders.get(part);
    if (found === undefined) holders.set(part, { part, source, about, first: call, last: call });
    else found.last = call;
  };
  // A text is looked for once in each body: views share what did not change.
  const searched = new WeakMap<object, boolean>();
  const has = (body: object, words: () => string): boolean => {
    let found = searched.get(body);
    if (found === undefined) {
      found = words().includes(text);
      searched.set(body, found);
    }
    return found;
  };
  for (const call of calls) {
    for (const part of call.system)
      if (has(part, () => part.text ?? ""))
        note(call, `system:${part.id}`, part.id, "a part of the system text");
    for (const sent of messagesOf(conversation, call))
      if (
        has(
          sent.message,
          () => `${messageText(sent.message)}\n${JSON.stringify(sent.message.tool_calls ?? "")}`,
        )
      ) {
        const own = logged(conversation, sent.id) ?? sent;
        note(call, `message:${sent.id}`, sourceOf(conversation, own), aboutMessage(conversation, own));
      }
  }
  const now = [...holders.values()].filter((part) => part.last === last);
  const before = [...holders.values()].filter((part) => part.last !== last);
  if (holders.size === 0) return answer(`no part of any request has the text ${JSON.stringify(text)}`);
  return answer(
    `${now.length} part${now.length === 1 ? "" : "s"} of the request of turn ${last.turn} ha${now.length === 1 ? "s" : "ve"} the text ${JSON.stringify(text)}`,
    [
      ...now.map((part) =>
        answer(
          `${part.part} from ${part.source} (${part.about}), since turn ${part.first.turn}`,
          [],
          "found",
        ),
      ),
      ...before.map((part) =>
        answer(
          `${part.part} from ${part.source} (${part.about}) had it from turn ${part.first.turn} to turn ${part.last.turn} (${part.last.loop})`,
          [],
          "found",
        ),
      ),
    ],
    "found",
  );
}
