/** Conversations, what is said in them, and stopping and going on. */
import { z } from "zod";
import type { StoredConversation } from "../../durable/index.ts";
import type { Json } from "../../effects/index.ts";
import { StoreError } from "../../store/index.ts";
import type { Conversations, StoredEnvelope } from "../../threads/index.ts";
import type { HttpAnswerBody } from "../answer.ts";
import { uuid7 } from "../clock.ts";
import type { RequestContext } from "../context.ts";
import { meant } from "../field-errors.ts";
import { longText } from "../long-text.ts";
import { badCursor, type FieldError, HttpProblem } from "../problems.ts";
import {
  asCreated,
  emitChanged,
  isAdmin,
  mayHaveAnother,
  mustBeServed,
  ownConversation,
  summaryJson,
  tagOf,
  withTag,
} from "../records.ts";
import { listOf, nothing, ok, pageQuery, type Route, route } from "../route.ts";
import { serverLimits } from "../server-limits.ts";
import { attachedFile, attachedTogether } from "../supervise/index.ts";
import { dropWorkspace, placeIn, withWorkspace } from "../workspace.ts";
import {
  config,
  conversationRecord,
  conversationState,
  conversationSummary,
  messageRecord,
  mode,
  newMessage,
  title,
} from "./schemas.ts";

/** What was said in a conversation, by people and by the agent: read from its log, which has both in one order. */
interface MessagePageRequest {
  readonly limit: number;
  readonly after?: string | undefined;
}

const kinds = ["message.queued", "message.end"];

/** The newest first; the cursor is the number of the event. */
function messagePage(
  conversations: Conversations,
  id: string,
  { limit, after }: MessagePageRequest,
): { readonly items: readonly unknown[]; readonly next: string | null } {
  const before = after === undefined ? Number.POSITIVE_INFINITY : Number(after);
  if (!(before >= 1)) throw badCursor();
  // One more says whether there is another page.
  const said = conversations
    .eventsFrom(id, { before }, kinds)
    .filter(isSaid)
    .take(limit + 1)
    .toArray();
  const page = said.slice(0, limit);
  const next = said.length > limit ? String(page.at(-1)?.seq) : null;
  return { items: page.map((event) => messageJson(conversations, event)), next };
}

/** Answers of outermost loops; those of sub-agents are in the events. */
const isSaid = ({ type, parent, data }: StoredEnvelope): boolean =>
  type === "message.queued" || (parent === null && data.role === "assistant");

function messageJson(conversations: Conversations, event: StoredEnvelope): Record<string, unknown> {
  const { seq, at, run, data } = event;
  const { message, text } = data;
  if (event.type === "message.queued") {
    const { by, attachments, delivery } = data;
    const state = conversations.message({ message: String(message) })?.state ?? "said";
    return { id: message, role: "user", text, attachments, by, state, delivery, run, seq, at };
  }
  const id = message ?? `e_${seq}`;
  return {
    id,
    role: "assistant",
    text,
    attachments: [],
    by: null,
    state: "said",
    delivery: null,
    run,
    seq,
    at,
  };
}

const bool = z.enum(["true", "false"]).transform((text) => text === "true");
const reason = z.strictObject({ reason: z.string().max(10_000).optional() });
const interrupted = z.object({
  interrupt: z.string().optional().describe("The request; missing when nothing ran."),
  state: z.string(),
});

/** Throws 412 `changed` when `If-Match` names another version; `null` without the header. */
function versionSeen({ request }: RequestContext, record: StoredConversation): number | null {
  const tag = request.headers.get("if-match");
  if (tag === null) return null;
  if (tag.trim() !== "*" && !tag.split(",").some((one) => one.trim() === tagOf(record)))
    throw changedMeanwhile(record);
  return record.version;
}

const changedMeanwhile = (record: StoredConversation): HttpProblem =>
  new HttpProblem("changed", `it has version ${record.version} by now`, {
    more: { version: record.version },
    headers: { etag: tagOf(record) },
  });

/** Where a store says that a state forbids it, the problem does. */
function orProblem<T>(slug: "busy" | "not-queued", work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof StoreError && (error.fault === "taken" || error.fault === "invalid"))
      throw new HttpProblem(slug, error.message);
    throw error;
  }
}

async function stop(context: RequestContext, id: string, why: string | undefined): Promise<HttpAnswerBody> {
  const { services, principal } = context;
  ownConversation(context, id);
  const { interrupt, state } = await services.supervisor.interrupt({
    target: { conversation: id },
    by: principal.name,
    ...(why === undefined ? {} : { reason: why }),
  });
  services.hub.wrote(id);
  return interrupt === undefined ? ok({ state }) : { status: 202, body: { interrupt, state } };
}

function noSuchAgent(asked: string, agents: readonly { readonly name: string }[]): HttpProblem {
  const names = agents.map(({ name }) => name);
  const message =
    names.length === 0
      ? "must be an agent, and none is served"
      : `must be one of ${names.join(", ")}${meant(asked, names)}`;
  return new HttpProblem("invalid", `body.agent: ${message}`, { errors: [{ path: "body.agent", message }] });
}

export const conversationRoutes: readonly Route[] = [
  route({
    method: "GET",
    path: "/api/conversations",
    role: "read",
    doc: "Conversations, the newest first; an admin sees everybody's.",
    query: z.strictObject({
      ...pageQuery,
      state: conversationState.optional(),
      agent: z.string().max(200).optional(),
      q: z.string().max(serverLimits.query).optional().describe("Words of the title."),
      archived: bool.optional(),
    }),
    answers: { 200: listOf(conversationSummary) },
    problems: ["bad-cursor"],
    handler: (context, { query }) => {
      const { services, principal } = context;
      const { limit, after, state, agent, q, archived } = query;
      if (after !== undefined && !/^c_[\w-]+$/.test(after)) throw badCursor();
      const filter = {
        owner: isAdmin(context) ? null : principal.name,
        agent: agent ?? null,
        state: state ?? null,
        archived: archived ?? null,
        q: q ?? "",
      };
      const { items, next } = services.conversations.list({ ...filter, after: after ?? null, limit });
      return ok({ items: items.map((record) => summaryJson(services, record)), next });
    },
  }),
  route({
    method: "POST",
    path: "/api/conversations",
    role: "write",
    doc: "A new conversation, with its first message when there is one.",
    body: z.strictObject({
      agent: z.string().min(1).max(200),
      title: title.optional(),
      mode: mode.nullable().optional(),
      config: config.optional(),
      message: newMessage.optional(),
    }),
    answers: { 201: conversationRecord },
    problems: ["invalid", "slow-down"],
    handler: (context, { body }) => {
      const { services, principal } = context;
      const { conversations, supervisor, clock } = services;
      const agent = supervisor.agents.find(({ name }) => name === body.agent);
      if (agent === undefined) throw noSuchAgent(body.agent, supervisor.agents);
      mayHaveAnother(context);
      if ((body.message?.attachments.length ?? 0) > 0)
        throw new HttpProblem("invalid", "a file can't come with the message", {
          errors: [
            {
              path: "body.message.attachments",
              message: "a new conversation has no files: make it without a message, save them, then say it",
            },
          ],
        });
      const id = `c_${uuid7(clock)}`;
      const create = (workspace: string): HttpAnswerBody => {
        const made = {
          agent: agent.name,
          owner: principal.name,
          title: body.title ?? "",
          mode: body.mode === undefined ? agent.mode : body.mode,
          config: (body.config ?? {}) as { readonly [key: string]: Json },
          workspace,
        };
        const message =
          body.message === undefined
            ? null
            : { message: `m_${uuid7(clock)}`, ...body.message, by: principal.name };
        return asCreated(context, conversations.create({ id, made, now: clock.now(), message }));
      };
      const answer = withWorkspace(services.workspaces, id, (workspace) =>
        context.commit(() => create(workspace)),
      );
      emitChanged(services, id);
      return answer;
    },
  }),
  route({
    method: "GET",
    path: "/api/conversations/{id}",
    role: "read",
    doc: "The record of a conversation, with its open questions.",
    answers: { 200: conversationRecord },
    problems: ["not-found"],
    handler: (context, { params }) => withTag(context, 200, ownConversation(context, params.id)),
  }),
  route({
    method: "PATCH",
    path: "/api/conversations/{id}",
    role: "write",
    doc: "Changes title, mode, configuration, or puts it aside. A run that works hears of another mode at its next dispatch.",
    body: z.strictObject({
      title: title.optional(),
      mode: mode.nullable().optional(),
      config: config.optional(),
      archived: z.boolean().optional(),
    }),
    answers: { 200: conversationRecord },
    problems: ["not-found", "changed"],
    handler: (context, { params, body }) => {
      const { services, principal } = context;
      const seen = ownConversation(context, params.id);
      const version = versionSeen(context, seen);
      const changes = { ...body, config: body.config as { readonly [key: string]: Json } | undefined };
      try {
        const record = services.conversations.change({
          id: params.id,
          changes,
          by: principal.name,
          version,
          now: services.clock.now(),
        });
        emitChanged(services, params.id);
        return withTag(context, 200, record);
      } catch (error) {
        if (error instanceof StoreError && error.fault === "taken")
          throw changedMeanwhile(ownConversation(context, params.id));
        throw error;
      }
    },
  }),
  route({
    method: "DELETE",
    path: "/api/conversations/{id}",
    role: "write",
    doc: "Removes a conversation; with `purge` its runs too, and its workspace unless a fork works there.",
    query: z.strictObject({ purge: bool.optional() }),
    answers: { 204: null },
    problems: ["not-found", "busy"],
    handler: async (context, { params, query }) => {
      const { services } = context;
      ownConversation(context, params.id);
      const { workspace } = orProblem("busy", () =>
        services.conversations.discard(params.id, { runs: query.purge === true }),
      );
      if (query.purge === true && workspace !== null) await dropWorkspace(services.workspaces, workspace);
      services.hub.wrote(params.id);
      return nothing;
    },
  }),
  route({
    method: "GET",
    path: "/api/conversations/{id}/messages",
    role: "read",
    doc: "What was said, by people and by the agent, the newest first.",
    query: z.strictObject(pageQuery),
    answers: { 200: listOf(messageRecord) },
    problems: ["not-found", "bad-cursor"],
    handler: (context, { params, query }) => {
      ownConversation(context, params.id);
      return ok(messagePage(context.services.conversations, params.id, query));
    },
  }),
  route({
    method: "POST",
    path: "/api/conversations/{id}/messages",
    role: "write",
    doc: "Says something. `position`: how many messages wait before it.",
    body: newMessage,
    answers: { 202: z.object({ message: z.string(), position: z.number() }) },
    problems: ["not-found", "slow-down"],
    handler: async (context, { params, body }) => {
      const { services, principal } = context;
      const { conversations, clock } = services;
      const record = ownConversation(context, params.id);
      mustBeServed(services, record.agent);
      await mustBeAttachable(record, body.attachments);
      const answer = context.commit(() => {
        const message = { message: `m_${uuid7(clock)}`, ...body, by: principal.name };
        const said = conversations.say({ id: params.id, ...message, now: clock.now() });
        return { status: 202, body: { message: said.message.id, position: said.position } };
      });
      emitChanged(services, params.id);
      return answer;
    },
  }),
  route({
    method: "DELETE",
    path: "/api/conversations/{id}/messages/{message}",
    role: "write",
    doc: "Takes a message back that waits.",
    answers: { 204: null },
    problems: ["not-found", "not-queued"],
    handler: (context, { params }) => {
      const { services } = context;
      ownConversation(context, params.id);
      orProblem("not-queued", () =>
        services.conversations.withdraw({
          id: params.id,
          message: params.message,
          now: services.clock.now(),
        }),
      );
      services.hub.wrote(params.id);
      return nothing;
    },
  }),
  route({
    method: "POST",
    path: "/api/conversations/{id}/interrupt",
    role: "write",
    doc: "Stops what runs: 202, or 200 when nothing does. `run.interrupted` in the log says when it is over, at most two seconds later.",
    body: reason,
    mayLackBody: true,
    answers: { 200: interrupted, 202: interrupted },
    problems: ["not-found"],
    handler: (context, { params, body }) => stop(context, params.id, body.reason),
  }),
  route({
    method: "POST",
    path: "/api/interrupt",
    role: "write",
    doc: "The same for the conversation in the body.",
    body: z.strictObject({ conversation: z.string().max(200), ...reason.shape }),
    answers: { 200: interrupted, 202: interrupted },
    problems: ["not-found"],
    handler: (context, { body }) => stop(context, body.conversation, body.reason),
  }),
  route({
    method: "POST",
    path: "/api/conversations/{id}/resume",
    role: "write",
    doc: "Goes on with the interrupted or failed run, else with the messages that wait.",
    body: z.strictObject({}),
    mayLackBody: true,
    answers: { 202: z.object({ state: conversationState }) },
    problems: ["not-found", "busy"],
    handler: (context, { params }) => {
      const { services } = context;
      ownConversation(context, params.id);
      const answer = context.commit(() => {
        const { state } = orProblem("busy", () =>
          services.conversations.resume({ id: params.id, now: services.clock.now() }),
        );
        return { status: 202, body: { state } };
      });
      emitChanged(services, params.id);
      return answer;
    },
  }),
  route({
    method: "GET",
    path: "/api/conversations/{id}/blobs/{ref}",
    role: "read",
    doc: "A long text of the log, whole.",
    answers: { 200: "text/plain" },
    problems: ["not-found"],
    handler: (context, { params }) => {
      return longText(context, ownConversation(context, params.id).id, params.ref);
    },
  }),
];

/** Whether the files that a message names can come with it: asked before it is accepted. */
interface AttachmentPath {
  readonly path: string;
}

/** Throws 422 `invalid` with each file that does not fit. */
async function mustBeAttachable(
  { workspace }: Pick<StoredConversation, "workspace">,
  attachments: readonly AttachmentPath[],
): Promise<void> {
  const errors: FieldError[] = [];
  let together = 0;
  for (const [index, { path }] of attachments.entries()) {
    const found = await fitting(workspace, path);
    if (typeof found === "string") errors.push({ path: `body.attachments.${index}.path`, message: found });
    else together += found;
  }
  if (errors.length === 0 && together > attachedTogether)
    errors.push({
      path: "body.attachments",
      message: `have ${together} bytes; together at most ${attachedTogether}`,
    });
  if (errors.length > 0) throw new HttpProblem("invalid", "a file can't come with the message", { errors });
}

/** How many bytes it has, or why it does not fit. */
async function fitting(workspace: string | null, path: string): Promise<number | string> {
  if (workspace === null) return "the conversation has no workspace";
  try {
    await placeIn(workspace, path);
  } catch (error) {
    if (error instanceof HttpProblem) return error.message;
    throw error;
  }
  const found = attachedFile(workspace, path);
  if ("unfit" in found) return found.unfit;
  return found.base64 === undefined
    ? Buffer.byteLength(found.text ?? "")
    : Buffer.byteLength(found.base64, "base64");
}
