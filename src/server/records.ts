/** What the store knows, as clients are told; and who may see what. Other people's things are told as things that aren't there. */
import { type ConversationQuestion, questionPlace, type StoredConversation } from "../durable/index.ts";
import type { Json } from "../effects/index.ts";
import { askedBy, shownKind } from "../threads/index.ts";
import type { HttpAnswerBody } from "./answer.ts";
import type { RequestContext, Services } from "./context.ts";
import { HttpProblem, notFound } from "./problems.ts";

type Asker = Pick<RequestContext, "services" | "principal">;

export const isAdmin = ({ principal }: Pick<RequestContext, "principal">): boolean =>
  principal.role === "admin";

/** A conversation of the principal, or anybody's for an admin. Throws 404 `not-found`. */
export function ownConversation({ services, principal }: Asker, id: string): StoredConversation {
  const found = services.conversations.get({ id });
  if (found === undefined || (found.owner !== principal.name && principal.role !== "admin"))
    throw notFound("conversation");
  return found;
}

/** Whether a run is one that the principal may see: of an own conversation; those of nobody's are the admins'. */
export function ownRun(context: Asker, name: string): string {
  const { services, principal } = context;
  const run = services.store.runs.has(name) ? name : undefined;
  const conversation = services.conversations.ofRun({ run: name })?.conversation;
  if (run === undefined && conversation === undefined) throw notFound("run");
  if (conversation !== undefined) {
    const owner = services.conversations.get({ id: conversation })?.owner;
    if (owner === principal.name) return name;
  }
  if (principal.role !== "admin") throw notFound("run");
  return name;
}

/** A question of an own conversation. 404 for others, 410 for one that was withdrawn. */
export function ownQuestion(context: Asker, id: string): ConversationQuestion {
  const { conversations } = context.services;
  const found = conversations.question(id);
  if (found === "withdrawn") {
    const run = questionPlace(id)?.run;
    if (run !== undefined) ownRun(context, run);
    throw new HttpProblem("expired", "the question was withdrawn: its run was stopped");
  }
  if (found === undefined || found.conversation === null) throw notFound("question");
  try {
    ownConversation(context, found.conversation);
  } catch {
    throw notFound("question");
  }
  return found;
}

/** Something was written to a conversation: whoever listens hears of it, and whoever works for it looks. */
export function emitChanged({ hub, supervisor }: Pick<Services, "hub" | "supervisor">, id: string): void {
  hub.wrote(id);
  supervisor.wake(id);
}

/** Throws 409 `busy` when nobody here works for conversations with this agent. */
export function mustBeServed({ supervisor }: Pick<Services, "supervisor">, agent: string): void {
  if (!supervisor.agents.some(({ name }) => name === agent))
    throw new HttpProblem("busy", `the agent ${agent} is not served here`);
}

export function questionJson(one: ConversationQuestion): Record<string, unknown> {
  const asked = askedBy({
    run: one.run,
    place: one.place,
    body: one.body,
    asked: one.asked,
    answer: one.answer ?? undefined,
    answeredBy: one.by ?? undefined,
  });
  const { deadline } = asked.body as { readonly deadline?: Json };
  return {
    id: one.id,
    conversation: one.conversation,
    run: one.run,
    kind: shownKind(asked),
    prompt: asked.prompt,
    schema: asked.schema ?? null,
    choices: asked.choices,
    tool: asked.tool ?? null,
    arguments: asked.details,
    asked: one.asked,
    deadline: typeof deadline === "number" ? deadline : null,
    answer: one.answer,
    by: one.by,
  };
}

type RecordServices = Pick<Services, "conversations">;

function shared(record: StoredConversation): Record<string, unknown> {
  const { id, agent, title, owner, state, why, mode, archived, created, changed, totals, gauge } = record;
  // Of a run that is over: what comes after it has not ended yet.
  const outcome = state === "idle" ? (record.outcome ?? null) : null;
  const { turns, input, output, cost_usd } = totals;
  return {
    id,
    agent,
    title,
    owner,
    state,
    why,
    outcome,
    mode,
    archived,
    created,
    changed,
    turns,
    totals: { input, output, cost_usd },
    gauge: gauge === null ? null : { used: gauge.used, window: gauge.window, ratio: gauge.ratio },
  };
}

/** A row of lists. Questions are counted only where some may be open. */
export function summaryJson(
  { conversations }: RecordServices,
  record: StoredConversation,
): Record<string, unknown> {
  const mayAsk = record.work !== null && (record.state === "processing" || record.state === "waiting");
  const open = mayAsk ? conversations.openQuestions(record.id).length : 0;
  return { ...shared(record), open_questions: open };
}

export function recordJson(
  { conversations }: RecordServices,
  record: StoredConversation,
): Record<string, unknown> {
  const { id, config, parent, work, queued, head, version } = record;
  return {
    ...shared(record),
    config,
    parent: parent?.conversation ?? null,
    run: work?.run ?? conversations.runs({ id }).at(-1)?.run ?? null,
    questions: conversations.openQuestions(id).map(questionJson),
    queued,
    head,
    version,
  };
}

/** A record with its ETag. */
export function withTag(
  context: Pick<RequestContext, "services">,
  status: number,
  record: StoredConversation,
): HttpAnswerBody {
  return { status, body: recordJson(context.services, record), headers: { etag: tagOf(record) } };
}

/** The answer to what made a conversation. */
export function asCreated(
  context: Pick<RequestContext, "services">,
  record: StoredConversation,
): HttpAnswerBody {
  const tagged = withTag(context, 201, record);
  return { ...tagged, headers: { ...tagged.headers, location: `/api/conversations/${record.id}` } };
}

export const tagOf = ({ version }: StoredConversation): string => `"${version}"`;

/** Throws 429 `slow-down` when the principal has as many conversations as one may have. */
export function mayHaveAnother({ services, principal }: Asker): void {
  const { conversationsOfPrincipal: most } = services.limits;
  if (services.conversations.count({ owner: principal.name, limit: most }) >= most)
    throw new HttpProblem("slow-down", `you have ${most} conversations; delete some`, {
      headers: { "retry-after": "60" },
    });
}
