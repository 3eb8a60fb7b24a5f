/** Logs of conversations and runs: page by page, live, and folded. */
import { z } from "zod";
import { streamOfRun } from "../../durable/index.ts";
import type { RequestContext } from "../context.ts";
import { longText } from "../long-text.ts";
import { HttpProblem, notFound } from "../problems.ts";
import { type EventEnvelope, emptyView, foldEvents } from "../protocol/index.ts";
import { isAdmin, ownConversation, ownRun, summaryJson } from "../records.ts";
import { ok, type Route, route } from "../route.ts";
import { serverLimits } from "../server-limits.ts";
import { Connection } from "../stream/connection.ts";
import { cursorNumber, cursorOf } from "../stream/cursor.ts";
import { cut } from "../stream/cut.ts";
import { LogStream } from "../stream/log-stream.ts";
import { TopicsStream } from "../stream/topics-stream.ts";
import { ownerOfPaperStream } from "./papers.ts";
import { eventPage } from "./schemas.ts";

const logQuery = z.strictObject({
  after: z
    .string()
    .max(40)
    .optional()
    .describe("Number of the last event that is known; `tail` in a stream: only what is new."),
  limit: z.coerce
    .number()
    .int()
    .min(1)
    .max(serverLimits.eventPage.max)
    .default(serverLimits.eventPage.default)
    .describe("Of a page of JSON."),
  types: z.string().max(2000).optional().describe("Only of these types, with commas."),
});

const wantsStream = (request: Request): boolean =>
  /\btext\/event-stream\b/i.test(request.headers.get("accept") ?? "");

/** A page as JSON, or the stream: by what the request accepts. */
function logOf(context: RequestContext, stream: string, query: z.output<typeof logQuery>) {
  const { services, request } = context;
  const types = query.types === undefined ? [] : query.types.split(",").map((type) => type.trim());
  if (!wantsStream(request)) {
    const after = query.after === undefined ? 0 : cursorNumber(query.after, "after");
    return ok(services.conversations.events(stream, { after, limit: query.limit, types }));
  }
  const cursor = cursorOf(request, query.after);
  return open(context, (connection, onEnd) => {
    const { conversations, hub, clock } = services;
    return new LogStream({ stream, cursor, types, conversations, hub, clock, connection, onEnd });
  });
}

function open(
  { services, request, principal, isAllowed }: RequestContext,
  make: (connection: Connection, onEnd: () => void) => LogStream | TopicsStream,
): Response {
  const connection = new Connection(services.clock, services.limits, () => cut(request));
  if (request.method === "HEAD") return new Response(null, { headers: connection.response.headers });
  const leave = services.streams.enter(principal.name, connection, isAllowed);
  return connection.start(make(connection, leave));
}

/** The state that the log up to and including a number amounts to. */
function stateOf({ services }: RequestContext, stream: string, at: string | undefined) {
  const head = services.conversations.store.streams.last(stream);
  const until = at === undefined ? head : cursorNumber(at, "at");
  if (until > head) throw new HttpProblem("bad-cursor", `the log has ${head} events`);
  const view = emptyView();
  for (let after = 0; after < until; ) {
    const { items } = services.conversations.events(stream, { after, limit: serverLimits.eventPage.max });
    if (items.length === 0) break;
    for (const event of items) {
      if (event.seq > until) break;
      foldEvents(view, event as unknown as EventEnvelope);
    }
    after = items.at(-1)?.seq ?? until;
  }
  return ok({ ...view, head });
}

const stateQuery = z.strictObject({
  at: z.string().max(40).optional().describe("Number of an event; default the last."),
});
const folded = z.looseObject({ seq: z.number(), head: z.number() });

export const eventRoutes: readonly Route[] = [
  route({
    method: "GET",
    path: "/api/conversations/{id}/events",
    role: "read",
    doc: "The log of a conversation: a page, or with `Accept: text/event-stream` live.",
    query: logQuery,
    answers: { 200: [eventPage, "text/event-stream"] },
    problems: ["not-found", "bad-cursor", "slow-down"],
    handler: (context, { params, query }) => logOf(context, ownConversation(context, params.id).id, query),
  }),
  route({
    method: "GET",
    path: "/api/conversations/{id}/state",
    role: "read",
    doc: "What the log amounts to, up to an event.",
    query: stateQuery,
    answers: { 200: folded },
    problems: ["not-found", "bad-cursor"],
    handler: (context, { params, query }) =>
      stateOf(context, ownConversation(context, params.id).id, query.at),
  }),
  route({
    method: "GET",
    path: "/api/runs/{run}/events",
    role: "read",
    doc: "The log of a run: a page, or live. Of a conversation's run it is the log of the conversation.",
    query: logQuery,
    answers: { 200: [eventPage, "text/event-stream"] },
    problems: ["not-found", "bad-cursor", "slow-down"],
    handler: async (context, { params, query }) => logOf(context, await madeLog(context, params.run), query),
  }),
  route({
    method: "GET",
    path: "/api/runs/{run}/state",
    role: "read",
    doc: "What the log of a run amounts to, up to an event.",
    query: stateQuery,
    answers: { 200: folded },
    problems: ["not-found", "bad-cursor"],
    handler: async (context, { params, query }) =>
      stateOf(context, await madeLog(context, params.run), query.at),
  }),
  route({
    method: "GET",
    path: "/api/runs/{run}/blobs/{ref}",
    role: "read",
    doc: "A long text of the log of a run, whole.",
    answers: { 200: "text/plain" },
    problems: ["not-found"],
    handler: async (context, { params }) => longText(context, await madeLog(context, params.run), params.ref),
  }),
  route({
    method: "GET",
    path: "/api/stream",
    role: "read",
    doc: "One stream for many: `conversations` (summaries), ids of conversations, `run:NAME`, `papers`.",
    query: z.strictObject({
      topics: z.string().min(1).max(10_000).describe("With commas."),
      after: logQuery.shape.after,
    }),
    answers: { 200: "text/event-stream" },
    problems: ["not-found", "bad-cursor", "slow-down", "not-acceptable"],
    handler: topicsOf,
  }),
];

/** The stream of a run, made first when no server watched it. */
async function madeLog(context: RequestContext, name: string): Promise<string> {
  const { services } = context;
  const stream = services.conversations.publishingStream(ownRun(context, name));
  await services.recorded.ensure(name);
  return stream;
}

/** The topics of a query, each once. */
function topicNames(query: string, max: number): readonly string[] {
  const topics = [...new Set(query.split(",").map((topic) => topic.trim()))];
  if (topics.length > max)
    throw new HttpProblem("invalid", "too many topics", {
      errors: [{ path: "query.topics", message: `at most ${max}` }],
    });
  return topics;
}

function topicsOf(
  context: RequestContext,
  { query }: { readonly query: { readonly topics: string; readonly after?: string | undefined } },
): Response {
  const { services, principal, request } = context;
  const { conversations, hub, clock, limits } = services;
  const topics = topicNames(query.topics, limits.topicsOfStream);
  const streams = new Set<string>();
  for (const topic of topics) {
    if (topic === "conversations" || topic === "papers") continue;
    if (topic.startsWith("c_")) streams.add(ownConversation(context, topic).id);
    else if (topic.startsWith("run:")) streams.add(streamOfRun(ownRun(context, topic.slice("run:".length))));
    else throw notFound("topic");
  }
  const isSeen = (stream: string): boolean =>
    isAdmin(context) ||
    (conversations.get({ id: stream })?.owner ?? ownerOfPaperStream(context, stream)) === principal.name;
  const cursor = cursorOf(request, query.after);
  return open(context, (connection, onEnd) => {
    const hasSummaries = topics.includes("conversations");
    return new TopicsStream({
      streams,
      hasSummaries,
      summary: (stream) => {
        const record = stream.startsWith("c_") ? conversations.get({ id: stream }) : undefined;
        return record !== undefined && isSeen(stream) ? summaryJson(services, record) : undefined;
      },
      isPaperSeen: ({ stream }) => topics.includes("papers") && isSeen(stream),
      cursor,
      conversations,
      hub,
      clock,
      connection,
      onEnd,
    });
  });
}
