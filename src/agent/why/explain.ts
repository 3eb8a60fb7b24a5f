/**
 * Why: answers about a session, from its log, its plan, its interventions and what its calls were made of. Pure; the run
 * itself, a replay of it (`harn why`) and a host ask the same.
 */
import type { Conversation, SeenCall } from "../../model/index.ts";
import { listed, NoAnswer, type WhyAnswer } from "./answer.ts";
import { explainMessage, explainMissing } from "./explain-message.ts";
import { explainInstruction, explainRequirement } from "./explain-rules.ts";
import { explainStop, explainTurn } from "./explain-stop.ts";
import { explainText } from "./explain-text.ts";
import { explainTool } from "./explain-tool.ts";

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
