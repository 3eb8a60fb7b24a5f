/** What runs ask people. */
import { z } from "zod";
import type { ConversationQuestion } from "../../durable/index.ts";
import type { Json } from "../../effects/index.ts";
import { StoreError } from "../../store/index.ts";
import { askedBy, isDecision, judgedAnswer, type OpenQuestion, shownKind } from "../../threads/index.ts";
import type { RequestContext } from "../context.ts";
import { HttpProblem } from "../problems.ts";
import { emitChanged, ownConversation, ownQuestion, questionJson } from "../records.ts";
import { ok, type Route, route } from "../route.ts";
import { answerBody, questionRecord } from "./schemas.ts";

export const questionRoutes: readonly Route[] = [
  route({
    method: "GET",
    path: "/api/conversations/{id}/questions",
    role: "read",
    doc: "Questions of a conversation, the oldest first.",
    query: z.strictObject({
      open: z
        .enum(["true", "false"])
        .default("false")
        .transform((text) => text === "true")
        .describe("Only those without an answer."),
    }),
    answers: { 200: z.object({ items: z.array(questionRecord), next: z.null() }) },
    problems: ["not-found"],
    handler: (context, { params, query }) => {
      ownConversation(context, params.id);
      const all = context.services.conversations.questions({ id: params.id });
      const items = query.open ? all.filter(({ answer }) => answer === null) : all;
      return ok({ items: items.map(questionJson), next: null });
    },
  }),
  route({
    method: "GET",
    path: "/api/questions/{question}",
    role: "read",
    doc: "A question.",
    answers: { 200: questionRecord },
    problems: ["not-found", "expired"],
    handler: (context, { params }) => ok(questionJson(ownQuestion(context, params.question))),
  }),
  route({
    method: "POST",
    path: "/api/questions/{question}/answer",
    role: "write",
    doc: "Answers a question: the first answer counts.",
    body: answerBody,
    answers: {
      200: z.object({
        question: z.string(),
        counted: z.boolean(),
        open: z.number().describe("Questions of the conversation that are left."),
      }),
    },
    problems: ["not-found", "expired", "already-answered", "invalid-answer"],
    handler: (context, { params, body }) => {
      const { services } = context;
      const asked = ownQuestion(context, params.question);
      const answer = context.commit(() => {
        settle(context, asked, body);
        const open = services.conversations.openQuestions(String(asked.conversation)).length;
        return { status: 200, body: { question: asked.id, counted: true, open } };
      });
      emitChanged(services, String(asked.conversation));
      return answer;
    },
  }),
];

/** Judges and writes an answer. Throws 422 `invalid-answer`, 409 `already-answered`, 410 `expired`. */
export function settle(
  { services, principal }: Pick<RequestContext, "services" | "principal">,
  question: ConversationQuestion,
  body: z.output<typeof answerBody>,
): void {
  if (question.answer !== null) throw standing(question);
  const asked = askedBy({ ...question, answer: undefined, answeredBy: undefined });
  mustFit(asked, body);
  const entry = {
    answer: answerOf(asked, body),
    by: principal.name,
    reason: "decision" in body ? (body.reason ?? body.feedback) : undefined,
    at: new Date(services.clock.now()).toISOString(),
  };
  let judged: Json;
  try {
    judged = judgedAnswer(asked, entry);
  } catch (error) {
    if (error instanceof StoreError && error.fault === "invalid") throw wrong(error.message);
    throw error;
  }
  try {
    services.conversations.answer(question.id, judged, principal.name);
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    const now = services.conversations.question(question.id);
    if (now === "withdrawn")
      throw new HttpProblem("expired", "the question was withdrawn: its run was stopped");
    if (error.fault === "exists" && now !== undefined) throw standing(now);
    throw error;
  }
}

/** The answer in the words that `harn hitl` takes, too. */
function answerOf(asked: OpenQuestion, body: z.output<typeof answerBody>): Json {
  if ("answer" in body) return isDecision(asked) ? unsigned(body.answer as Json) : (body.answer as Json);
  if (!isDecision(asked)) {
    // What has two choices by these names is decided, too.
    const word = asked.choices.find((choice) => choice === body.decision);
    if (word !== undefined) return word;
    throw wrong(`this is a ${asked.kind}: it takes \`answer\``);
  }
  const isAlways = body.decision === "approve" && body.always === true;
  if (isAlways && asked.kind !== "permission") throw wrong("only a tool can be allowed always");
  const decision = isAlways ? "session" : body.decision;
  return body.arguments === undefined ? decision : { decision, arguments: body.arguments as Json };
}

/** Who says it is who asks: nobody signs for somebody else. */
function unsigned(answer: Json): Json {
  if (typeof answer !== "object" || answer === null) return answer;
  if (Array.isArray(answer)) throw wrong("each says it for himself: one answer, no list");
  const {
    reviewer: _r,
    approver: _a,
    responded_at: _at,
    ...said
  } = answer as { readonly [key: string]: Json };
  return said;
}

/** What says something that nobody would read is refused. */
function mustFit(asked: OpenQuestion, body: z.output<typeof answerBody>): void {
  if (!("decision" in body)) return;
  const { decision, always, arguments: args, reason, feedback } = body;
  if (decision === "deny" && always === true) throw wrong("`always` goes with `approve`");
  if (args !== undefined && (decision === "deny" || asked.kind !== "permission"))
    throw wrong("`arguments` go with `approve`, of a tool");
  if (feedback === undefined) return;
  if (shownKind(asked) !== "plan") throw wrong("`feedback` is for a plan; this takes `reason`");
  if (reason !== undefined) throw wrong("of a plan `feedback` is the reason: send one of them");
}

const wrong = (message: string): HttpProblem =>
  new HttpProblem("invalid-answer", message, { errors: [{ path: "body.answer", message }] });

const standing = ({ answer, by }: ConversationQuestion): HttpProblem =>
  new HttpProblem("already-answered", `it was answered${by === null ? "" : ` by ${by}`}`, {
    more: { answer, by },
  });
