/** An answer is judged when it is given: a run that waits for it is told only what it can use, by who may say it. */

import { nearest } from "../../diagnostics/index.ts";
import { EmbeddedOperations, questions } from "../../durable/index.ts";
import type { Json } from "../../effects/index.ts";
import { createNodeHost } from "../../host/index.ts";
import { fitAnswer } from "../../model/index.ts";
import { callerWords } from "../../process/index.ts";
import { type Question, type Store, StoreError } from "../../store/index.ts";
import { Dict, fromJson, isJsonObject, type Value } from "../../values/index.ts";
import { askedBy, isDecision, isDoubt, type OpenQuestion } from "./open-question.ts";

const yes = new Set([
  "approve",
  "approved",
  "accept",
  "accepted",
  "allow",
  "grant",
  "granted",
  "yes",
  "y",
  "true",
]);
const no = new Set([
  "deny",
  "denied",
  "decline",
  "declined",
  "reject",
  "rejected",
  "refuse",
  "no",
  "n",
  "false",
]);
/** Leave for every further call of the tool with these arguments. */
const forSession = new Set(["session", "always"]);

export interface AnswerInput {
  readonly answer: Json;
  /** Who gives it, unless the answer itself says so. */
  readonly by: string;
  readonly reason: string | undefined;
  readonly at: string;
}

/** Keeps an answer with its question, for the run that waits for it; gives it as the run wants it. Throws as `judgedAnswer`. */
export function keepAnswer(store: Store, question: Question, value: AnswerInput): Json {
  const answer = judgedAnswer(askedBy(question), value);
  const { run, place } = question;
  new EmbeddedOperations(store).operateSync(questions.answer, {
    run,
    place,
    answer: JSON.stringify(answer),
    by: value.by,
  });
  return answer;
}

/** The answer as the run wants it. A `StoreError` "invalid" that says which answers there are, and who may give them. */
export function judgedAnswer(asked: OpenQuestion, value: AnswerInput): Json {
  if (isDoubt(asked)) return oneOf(asked, value.answer);
  if (isDecision(asked)) {
    return Array.isArray(value.answer)
      ? value.answer.map((answer) => decision(asked, { ...value, answer }))
      : decision(asked, value);
  }
  return fitting(asked, value.answer);
}

function oneOf(asked: OpenQuestion, answer: Json): Json {
  const found = asked.choices.find((choice) => choice === answer);
  if (found === undefined) throw refused(asked, `${shownAnswer(answer)} is none of its answers`);
  return found;
}

/** Under one of them a dict says it. */
const decisionKeys = ["approved", "accepted", "decision"];

function decision(asked: OpenQuestion, { answer, by, reason, at }: AnswerInput): Json {
  const dict = typeof answer === "object" && answer !== null && !Array.isArray(answer) ? answer : {};
  const fields = dict as { readonly [name: string]: Json };
  const word = fields.approved ?? fields.accepted ?? fields.decision ?? (dict === answer ? null : answer);
  const said =
    typeof word === "boolean" ? String(word) : typeof word === "string" ? word.trim().toLowerCase() : "";
  const always = asked.kind === "permission" && forSession.has(said);
  if (!always && !yes.has(said) && !no.has(said)) {
    const near = Object.keys(fields).flatMap((key) => nearest(key, decisionKeys) ?? [])[0];
    const meant = near === undefined ? "" : `: did you mean \`${near}\`?`;
    throw refused(asked, `${shownAnswer(answer)} is no answer to it${meant}`);
  }
  const reviewer = String(fields.reviewer ?? fields.approver ?? by);
  if (asked.reviewers.length > 0 && !asked.reviewers.includes(reviewer))
    throw refused(asked, `${reviewer} is not one of those who may answer`);
  // Leave for a tool may be leave for other arguments than the model's.
  const other = asked.kind === "permission" && (always || yes.has(said)) && isJsonObject(fields.arguments);
  if (other) {
    const problem = answerProblem(fromJson(fields.arguments as Json), asked.argumentsSchema, undefined);
    if (problem !== undefined) throw refused(asked, `arguments: ${problem}`);
  }
  const response = {
    reviewer,
    reason: fields.reason ?? reason ?? null,
    responded_at: fields.responded_at ?? at,
    ...(other ? { arguments: fields.arguments as Json } : {}),
  };
  // "session" is more than a yes, and read by the policy that asked.
  return always ? { decision: "session", ...response } : { approved: yes.has(said), ...response };
}

/** By the rules of `ask_user` itself. */
function fitting(asked: OpenQuestion, answer: Json): Json {
  const value = fromJson(answer);
  const inner = value instanceof Dict && value.has("answer") ? (value.get("answer") ?? null) : value;
  const problem = answerProblem(inner, asked.schema, asked.fallback);
  if (problem === undefined) return answer;
  throw refused(asked, problem);
}

function answerProblem(
  value: Value,
  schema: Json | undefined,
  fallback: Json | undefined,
): string | undefined {
  const wanted = schema === undefined ? undefined : fromJson(schema);
  const verdict = fitAnswer(value, {
    schema: wanted instanceof Dict ? wanted : undefined,
    fallback: fallback === undefined ? undefined : fromJson(fallback),
    matches: (pattern, text) =>
      createNodeHost().libraries.re2js().RE2JS.compile(pattern).matcher(text).find(),
  });
  return "settled" in verdict ? undefined : verdict.problem;
}

const shownAnswer = (answer: Json): string =>
  typeof answer === "string" ? `'${answer}'` : JSON.stringify(answer);

function refused(asked: OpenQuestion, why: string): StoreError {
  const lines = [`asked: ${asked.prompt}`];
  if (asked.choices.length > 0) lines.push(`answers: ${asked.choices.join(", ")}`);
  if (asked.schema !== undefined) lines.push(`schema: ${JSON.stringify(asked.schema)}`);
  const how = callerWords().has("--reviewer") ? " (--reviewer NAME)" : "";
  if (asked.reviewers.length > 0) lines.push(`who may answer: ${asked.reviewers.join(", ")}${how}`);
  return new StoreError("invalid", why, lines);
}
