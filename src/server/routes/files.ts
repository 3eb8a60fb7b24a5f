/** The workspace of a conversation. */
import { createHash, randomUUID } from "node:crypto";
import { rm } from "node:fs/promises";
import { z } from "zod";
import type { StoredConversation } from "../../durable/index.ts";
import type { RequestContext } from "../context.ts";
import { fileDiff } from "../file-diff.ts";
import { notFound } from "../problems.ts";
import type { FileDiff } from "../protocol/index.ts";
import { bytesOf } from "../read-body.ts";
import { ownConversation } from "../records.ts";
import { nothing, ok, type Route, route } from "../route.ts";
import { cursorNumber } from "../stream/cursor.ts";
import { filesOf, openFile, placeIn, writeFileAt } from "../workspace.ts";
import { fileRecord, typedSchema } from "./schemas.ts";

/** Shown by a page as they are; everything else is only ever saved. */
const images: ReadonlyMap<string, string> = new Map([
  ["png", "image/png"],
  ["jpg", "image/jpeg"],
  ["jpeg", "image/jpeg"],
  ["gif", "image/gif"],
  ["webp", "image/webp"],
]);

function workspaceOf(context: RequestContext, id: string): { record: StoredConversation; workspace: string } {
  const record = ownConversation(context, id);
  if (record.workspace === null) throw notFound("workspace");
  return { record, workspace: record.workspace };
}

/** The log tells what people change, too; it is written first, so that what can't be told is not done. */
function noteFileChange(
  { services, principal }: RequestContext,
  id: string,
  data: {
    readonly path: string;
    readonly change: string;
    readonly after: string | null;
    readonly bytes: number | null;
  },
): void {
  services.conversations.appendEvents({
    stream: id,
    owner: null,
    events: [
      {
        at: services.clock.now(),
        type: "file.changed",
        origin: `file:${randomUUID()}`,
        body: { data: { ...data, before: null, by: principal.name } },
      },
    ],
  });
}

const fileState = z.object({ hash: z.string().nullable(), bytes: z.number().nullable() }).nullable();
const fileDiffRecord = typedSchema<FileDiff>()(
  z.object({
    path: z.string(),
    from: fileState,
    to: fileState,
    hunks: z
      .array(
        z.object({
          old_start: z.number(),
          old_lines: z.number(),
          new_start: z.number(),
          new_lines: z.number(),
          lines: z.array(z.string()),
        }),
      )
      .nullable()
      .describe("null: too large, no text, or not kept; only sizes are known."),
  }),
);

export const fileRoutes: readonly Route[] = [
  route({
    method: "GET",
    path: "/api/conversations/{id}/files",
    role: "read",
    doc: "Files of the workspace, sorted by path.",
    answers: { 200: z.object({ items: z.array(fileRecord), cut: z.boolean(), next: z.null() }) },
    problems: ["not-found"],
    handler: async (context, { params }) => {
      const { workspace } = workspaceOf(context, params.id);
      const { items, isCut } = await filesOf(workspace, context.services.limits.filesListed);
      return ok({ items, cut: isCut, next: null });
    },
  }),
  route({
    method: "GET",
    path: "/api/conversations/{id}/files/{path*}",
    role: "read",
    doc: "A file. Only images of four kinds are shown by a browser, the rest is saved.",
    answers: { 200: "*/*" },
    problems: ["not-found", "bad-path"],
    handler: async (context, { params }) => {
      const { workspace } = workspaceOf(context, params.id);
      const { stats, body } = await openFile(await placeIn(workspace, params.path));
      const name = params.path.slice(params.path.lastIndexOf("/") + 1);
      const type = images.get(name.slice(name.lastIndexOf(".") + 1).toLowerCase());
      if (context.request.method === "HEAD") await body.cancel();
      return new Response(context.request.method === "HEAD" ? null : body, {
        headers: {
          "content-type": type ?? "application/octet-stream",
          "content-length": String(stats.size),
          "content-disposition": `${type === undefined ? "attachment" : "inline"}; filename*=UTF-8''${headerName(name)}`,
          "content-security-policy": "sandbox; default-src 'none'",
          "cache-control": "no-store",
        },
      });
    },
  }),
  route({
    method: "PUT",
    path: "/api/conversations/{id}/files/{path*}",
    role: "write",
    doc: "Writes a file: the body, as it is.",
    body: "bytes",
    answers: { 200: fileRecord, 201: fileRecord },
    problems: ["not-found", "bad-path", "too-large"],
    handler: async (context, { params }) => {
      const { services, request } = context;
      const { workspace } = workspaceOf(context, params.id);
      const place = await placeIn(workspace, params.path);
      const bytes = await bytesOf(request, services.limits.upload);
      const after = createHash("sha256").update(bytes).digest("hex");
      const wasThere = await writeFileAt(place, bytes, (isThere) =>
        noteFileChange(context, params.id, {
          path: params.path,
          change: isThere ? "written" : "created",
          after,
          bytes: bytes.byteLength,
        }),
      );
      services.hub.wrote(params.id);
      const file = { path: params.path, bytes: bytes.byteLength, changed: services.clock.now() };
      return { status: wasThere ? 200 : 201, body: file };
    },
  }),
  route({
    method: "DELETE",
    path: "/api/conversations/{id}/files/{path*}",
    role: "write",
    doc: "Removes a file.",
    answers: { 204: null },
    problems: ["not-found", "bad-path"],
    handler: async (context, { params }) => {
      const { workspace } = workspaceOf(context, params.id);
      const place = await placeIn(workspace, params.path);
      const { body } = await openFile(place);
      await body.cancel();
      noteFileChange(context, params.id, { path: params.path, change: "removed", after: null, bytes: null });
      await rm(place);
      context.services.hub.wrote(params.id);
      return nothing;
    },
  }),
  route({
    method: "GET",
    path: "/api/conversations/{id}/diff",
    role: "read",
    doc: "How a file changed between two events; without `to` up to now, without `from` from its beginning.",
    query: z.strictObject({
      path: z.string().min(1).max(4096),
      from: z.string().max(40).optional().describe("Number of an event."),
      to: z.string().max(40).optional().describe("Number of an event."),
    }),
    answers: {
      200: fileDiffRecord,
    },
    problems: ["not-found", "bad-path", "bad-cursor"],
    handler: async (context, { params, query }) => {
      const { services } = context;
      const { workspace } = workspaceOf(context, params.id);
      const place = await placeIn(workspace, query.path);
      return ok(
        await fileDiff({
          conversations: services.conversations,
          stream: params.id,
          path: query.path,
          place,
          from: query.from === undefined ? 0 : cursorNumber(query.from, "from"),
          to: query.to === undefined ? undefined : cursorNumber(query.to, "to"),
          limits: services.limits,
        }),
      );
    },
  }),
];

/** RFC 8187. */
const headerName = (name: string): string =>
  encodeURIComponent(name).replace(/['()*]/g, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`);
