/**
 * Why: answers about a session, from its log, its plan, its interventions and what its calls were made of. Pure; the run
 * itself, a replay of it (`harn why`) and a host ask the same.
 */
import { type Conversation, messageText, type SeenCall } from "../../model/index.ts";
import { answer, listed, NoAnswer, type WhyAnswer } from "./answer.ts";
import { explainMessage, explainMissing } from "./explain-message.ts";
import { explainInstruction, explainRequirement } from "./explain-rules.ts";
import { explainStop, explainTurn } from "./explain-stop.ts";
import { aboutMessage, logged, messagePosition, messagesOf, sourceOf } from "./seen-views.ts";

export { cutAnswer, NoAnswer, usualDepth, type WhyAnswer } from "./answer.ts";
export { type ManifestPart, manifestOf } from "./manifest.ts";

export interface WhyQuestion {
  /** Alone: why the loop went on after it. With `missing` and `text`: in which request. */
  readonly turn?: number;
  readonly message?: string;
  readonly missing?: string;
  readonly text?: string;
  readonly tool?: string;
  readonly rule?: string;
  readonly requirement?: string;
  /** `lN`; the last one of the session unless given. */
  readonly loop?: string;
}

/** Throws `NoAnswer` for what does not exist. */
export function answerWhy(conversation: Conversation, question: WhyQuestion): WhyAnswer {
  const { message, missing, text, tool, rule, requirement, turn } = question;
  if (message !== undefined) return explainMessage(conversation, message);
  if (missing !== undefined) return explainMissing(conversation, callAsked(conversation, question), missing);
  if (text !== undefined) return explainText(conversation, text);
  if (tool !== undefined) return explainTool(conversation, tool);
  if (rule !== undefined) return explainInstruction(conversation, rule);
  if (requirement !== undefined) return explainRequirement(conversation, requirement);
  if (turn !== undefined) return explainTurn(conversation, callAsked(conversation, question));
  return explainStop(conversation, question.loop);
}

/** The call that is asked about: of the turn, else the last. */
export function callAsked(conversation: Conversation, { loop, turn }: WhyQuestion): SeenCall {
  const { calls } = conversation.seen;
  const last = calls.at(-1);
  if (last === undefined) throw new NoAnswer(`no model was called in session '${conversation.id}'`);
  const loops = [...new Set(calls.map((call) => call.loop))];
  const asked = loop ?? (turn === undefined ? last.loop : undefined);
  if (asked !== undefined && !loops.includes(asked))
    throw new NoAnswer(`session '${conversation.id}' has no loop '${asked}'; there are ${listed(loops)}`);
  const fits = calls.filter(
    (call) => (asked === undefined || call.loop === asked) && (turn === undefined || call.turn === turn),
  );
  const found = fits.at(-1);
  if (found !== undefined) return found;
  const turns = calls
    .filter((call) => asked === undefined || call.loop === asked)
    .map((call) => `${call.turn}`);
  throw new NoAnswer(
    `session '${conversation.id}' has no turn ${turn}; there are ${listed([...new Set(turns)])}`,
  );
}

/** When the model was told of a tool, and how each call of it went. */
function explainTool(conversation: Conversation, name: string): WhyAnswer {
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

/** A part that has the text, and the calls that it was in. */
interface PartWithText {
  readonly part: string;
  readonly source: string;
  readonly about: string;
  readonly first: SeenCall;
  last: SeenCall;
}

function explainText(conversation: Conversation, text: string): WhyAnswer {
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
