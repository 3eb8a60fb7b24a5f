/** Every recorded run, whoever started it. Those that belong to no conversation are the admins'. */
import { z } from "zod";
import type { StoredRunSummary } from "../../store/index.ts";
import type { Services } from "../context.ts";
import { badCursor, HttpProblem } from "../problems.ts";
import { isAdmin, ownRun } from "../records.ts";
import { listOf, ok, pageQuery, type Route, route } from "../route.ts";
import { runSummary } from "./schemas.ts";

function runJson(
  { conversations }: Services,
  run: Omit<StoredRunSummary, "records">,
): Record<string, unknown> {
  return {
    run: run.name,
    script: run.entry.slice(run.entry.lastIndexOf("/") + 1),
    conversation: conversations.ofRun({ run: run.name })?.conversation ?? null,
    status: run.state,
    outcome: run.outcome ?? null,
    started: run.began,
    ended: run.ended ?? null,
    exit_code: run.exitCode ?? null,
    parent: run.parent ?? null,
  };
}

export const runRoutes: readonly Route[] = [
  route({
    method: "GET",
    path: "/api/runs",
    role: "read",
    doc: "Recorded runs, the newest first: for an admin all, else those of own conversations.",
    query: z.strictObject(pageQuery),
    answers: { 200: listOf(runSummary) },
    problems: ["bad-cursor"],
    handler: (context, { query: { limit, after } }) => {
      const { services, principal } = context;
      const owner = isAdmin(context) ? undefined : principal.name;
      if (after !== undefined && !isVisible(context, after)) throw badCursor();
      const page = services.store.runs.page({ after, limit: limit + 1, owner });
      if (page === undefined) throw badCursor();
      const items = page.slice(0, limit);
      const next = page.length > limit ? (items.at(-1)?.name ?? null) : null;
      return ok({ items: items.map((run) => runJson(services, run)), next });
    },
  }),
  route({
    method: "GET",
    path: "/api/runs/{run}",
    role: "read",
    doc: "A run.",
    answers: { 200: runSummary.extend({ head: z.number(), notes: z.array(z.string()) }) },
    problems: ["not-found"],
    handler: (context, { params }) => {
      const { services } = context;
      const name = ownRun(context, params.run);
      const found = services.store.runs.find(name);
      // A run of a conversation that has not written its first record.
      if (found === undefined) throw new HttpProblem("not-found", "the run has not begun yet");
      const head = services.conversations.store.streams.last(services.conversations.publishingStream(name));
      return ok({ ...runJson(services, found), head, notes: found.notes });
    },
  }),
  route({
    method: "GET",
    path: "/api/runs/{run}/report",
    role: "read",
    doc: "A run as one page that opens from disk; the log of a run that no server watched is made first.",
    answers: { 200: "text/html" },
    problems: ["not-found"],
    handler: async (context, { params }) => {
      const run = ownRun(context, params.run);
      const html = await context.services.recorded.report(run);
      const headers = {
        "content-type": "text/html; charset=utf-8",
        "content-disposition": `attachment; filename="${run.replace(/[^\w.-]/g, "_")}.html"`,
        "cache-control": "no-store",
      };
      return new Response(html, { headers });
    },
  }),
  route({
    method: "POST",
    path: "/api/runs/{run}/interrupt",
    role: "write",
    doc: "Stops a run; one of a conversation with its conversation.",
    body: z.strictObject({ reason: z.string().max(10_000).optional() }),
    mayLackBody: true,
    answers: {
      200: z.object({ state: z.string() }),
      202: z.object({ interrupt: z.string(), state: z.string() }),
    },
    problems: ["not-found"],
    handler: async (context, { params, body }) => {
      const { services, principal } = context;
      const run = ownRun(context, params.run);
      const conversation = services.conversations.ofRun({ run })?.conversation;
      const { interrupt, state } = await services.supervisor.interrupt({
        target: conversation === undefined ? { run } : { conversation },
        by: principal.name,
        ...(body.reason === undefined ? {} : { reason: body.reason }),
      });
      services.hub.wrote(services.conversations.publishingStream(run));
      return interrupt === undefined ? ok({ state }) : { status: 202, body: { interrupt, state } };
    },
  }),
];

function isVisible(context: Parameters<typeof ownRun>[0], run: string): boolean {
  try {
    return ownRun(context, run) === run;
  } catch {
    return false;
  }
}
