/** Writing projects (docs/papers.md). */
import { z } from "zod";
import type { StaleChange, StoredPaper, WholePaper } from "../../durable/index.ts";
import type { Json } from "../../effects/index.ts";
import {
  isStale,
  type OutlineNode,
  Papers,
  paperDifference,
  paperOf,
  type Writer,
} from "../../writing/durable/index.ts";
import { exportAs, formatFacts, paperFormats } from "../../writing/formats/index.ts";
import {
  checkPaper,
  citationStyles,
  type ExportFile,
  type Finding,
  imagePaths,
  labelPattern,
  type Paper,
  type PaperExport,
  referencesOfBibtex,
} from "../../writing/text/index.ts";
import type { HttpAnswerBody } from "../answer.ts";
import type { RequestContext } from "../context.ts";
import { findingsOfPdf, type Pdf, PdfError, pdfOf } from "../pdf/index.ts";
import { badCursor, HttpProblem, notFound } from "../problems.ts";
import type {
  FindingRecord,
  ImportedReferences,
  PaperDiff,
  PaperSummary,
  ReferenceRecord,
  SectionRecord,
  VersionRecord,
  PaperRecord as WirePaper,
} from "../protocol/index.ts";
import { isAdmin, ownConversation } from "../records.ts";
import { listOf, nothing, ok, pageQuery, type Route, route } from "../route.ts";
import { serverLimits } from "../server-limits.ts";
import { bytesOfFile, placeIn } from "../workspace.ts";
import { inRules, writingStoreOf } from "../writing-desk.ts";
import { cslItem as item, typedSchema } from "./schemas.ts";

const text = (max: number) => z.string().max(max);
const title = z
  .string()
  .trim()
  .min(1)
  .max(serverLimits.title * 5);
const version = z.number().int().min(1).optional().describe("What was seen; another one by now is 412.");
const paperStates = ["outline", "drafting", "review", "final"] as const;
const styles = z.enum(citationStyles as ["numeric", "author-year"]);

const fields = {
  authors: z.array(text(500)).max(500).optional(),
  abstract: text(100_000).optional(),
  language: text(35).optional(),
  citation_style: styles.optional(),
};

interface OutlineSection {
  readonly id?: string | undefined;
  readonly title: string;
  readonly summary?: string | undefined;
  readonly sections?: readonly OutlineSection[] | undefined;
}
const outlineNode: z.ZodType<OutlineSection> = z.lazy(() =>
  z.strictObject({
    id: text(100).optional(),
    title,
    summary: text(10_000).optional(),
    sections: z.array(outlineNode).max(500).optional(),
  }),
);

const paperRecord = typedSchema<PaperSummary>()(
  z.object({
    id: z.string(),
    conversation: z.string().nullable(),
    owner: z.string(),
    title: z.string(),
    authors: z.array(z.string()),
    abstract: z.string(),
    language: z.string(),
    citation_style: z.string(),
    state: z.string(),
    version: z.number(),
    created: z.number(),
    changed: z.number(),
  }),
);
const sectionRecord = typedSchema<SectionRecord>()(
  z.object({
    id: z.string(),
    parent: z.string().nullable(),
    position: z.number(),
    depth: z.number(),
    title: z.string(),
    label: z.string(),
    body: z.string(),
    summary: z.string(),
    state: z.string(),
    version: z.number(),
    changed: z.number(),
  }),
);
const referenceRecord = typedSchema<ReferenceRecord>()(
  z.object({
    key: z.string(),
    item,
    verified: z.boolean(),
    origin: z.record(z.string(), z.json()).nullable(),
    quote: z.string(),
  }),
);
const wholePaper = typedSchema<WirePaper>()(
  paperRecord.extend({
    sections: z.array(sectionRecord),
    references: z.array(referenceRecord),
  }),
);
const changed = z.object({ version: z.number() });
const finding = typedSchema<FindingRecord>()(
  z.object({ kind: z.string(), section: z.string(), offset: z.number(), text: z.string() }),
);
const difference = typedSchema<PaperDiff>()(
  z.object({
    fields: z.array(z.string()),
    sections: z.array(
      z.object({
        section: z.string(),
        title: z.string(),
        change: z.enum(["added", "removed", "changed", "moved"]),
        before: z.string(),
        after: z.string(),
      }),
    ),
    references: z.array(z.object({ key: z.string(), change: z.enum(["added", "removed", "changed"]) })),
  }),
);
const versionRecord = typedSchema<VersionRecord>()(
  z.object({
    n: z.number(),
    at: z.number(),
    by: z.string(),
    run: z.string().nullable(),
    op: z.string(),
    note: z.string().nullable(),
    section: z.string().nullable(),
  }),
);
const imported = typedSchema<ImportedReferences>()(
  changed.extend({
    keys: z.array(z.string()),
    problems: z.array(z.object({ line: z.number(), message: z.string() })),
  }),
);
const problems = ["not-found", "changed", "invalid"] as const;

const papersOf = (context: RequestContext): Papers => new Papers(writingStoreOf(context));
const writerOf = ({ principal }: RequestContext): Writer => ({ by: principal.name });

/** A paper of the principal, or anybody's for an admin. Throws 404 `not-found`. */
function ownPaper(context: RequestContext, id: string): StoredPaper {
  const found = papersOf(context).stored.record({ id });
  if (found === undefined || (found.owner !== context.principal.name && !isAdmin(context)))
    throw notFound("paper");
  return found;
}

/** Whose paper the stream `paper:ID` tells about; undefined for other streams. Papers outside of conversations have one. */
export const ownerOfPaperStream = (context: RequestContext, stream: string): string | undefined =>
  stream.startsWith("paper:") ? papersOf(context).stored.record({ id: stream.slice(6) })?.owner : undefined;

const etagHeader = (n: number): Readonly<Record<string, string>> => ({ etag: `"${n}"` });
const shown = ({ paper, sections, references }: WholePaper): unknown => ({ ...paper, sections, references });

/** The version of `If-Match`, else that of the body. */
function seen({ request }: RequestContext, value: number | undefined): number | null {
  const tag = request.headers.get("if-match")?.trim();
  if (tag === undefined || tag === "*") return value ?? null;
  // Nothing has version 0: a tag that none of ours is fits nothing.
  return Number(/^"(\d+)"$/.exec(tag)?.[1] ?? 0);
}

const paperChanged = ({ version: now, section }: StaleChange["stale"], wanted?: string): HttpProblem =>
  new HttpProblem(
    "changed",
    section === null ? `the paper has version ${now} by now` : `the section has version ${now} by now`,
    {
      more: { version: now, ...(section === null ? {} : { body: section.body, yours: wanted ?? null }) },
      headers: now === 0 ? {} : etagHeader(now),
    },
  );

/** Does a change of an own paper, tells those who listen, and answers with the version. */
function change<T extends object>(
  context: RequestContext,
  id: string,
  work: (papers: Papers) => T | StaleChange,
  { status = 200, wanted }: { readonly status?: number; readonly wanted?: string | undefined } = {},
): HttpAnswerBody {
  const { conversation } = ownPaper(context, id);
  const answer = context.commit(() => {
    const done = inRules(() => work(papersOf(context)));
    if (isStale(done)) throw paperChanged(done.stale, wanted);
    return { status, body: done, headers: "version" in done ? etagHeader(Number(done.version)) : {} };
  });
  context.services.hub.wrote(conversation ?? `paper:${id}`);
  return answer;
}

const formats = z.enum(paperFormats);

/** In ASCII, and so short that every proxy takes it; the whole list is `…/check`. */
function findingsHeader(findings: readonly Finding[]): string {
  const remarks: string[] = [];
  for (const { kind, section, offset, text: what } of findings) {
    const one = JSON.stringify({ kind, section, offset, text: what.slice(0, 80) }).replaceAll(
      /[^ -~]/g,
      (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
    );
    if (remarks.join(",").length + one.length > 4_000) break;
    remarks.push(one);
  }
  return `[${remarks.join(",")}]`;
}

export const paperRoutes: readonly Route[] = [
  route({
    method: "GET",
    path: "/api/papers",
    role: "read",
    doc: "Writing projects, the newest first; an admin sees everybody's.",
    query: z.strictObject({
      ...pageQuery,
      conversation: text(100).optional(),
      q: text(serverLimits.query).optional().describe("Words of the title."),
    }),
    answers: { 200: listOf(paperRecord) },
    problems: ["bad-cursor"],
    handler: (context, { query: { limit, after, conversation, q } }) => {
      if (after !== undefined && !/^p_[\w-]+$/.test(after)) throw badCursor();
      const owner = isAdmin(context) ? null : context.principal.name;
      const found = papersOf(context).stored.list({
        owner,
        conversation: conversation ?? null,
        q: q ?? "",
        after: after ?? null,
        limit: limit + 1,
      });
      const items = found.slice(0, limit);
      return ok({ items, next: found.length > limit ? (items.at(-1)?.id ?? null) : null });
    },
  }),
  route({
    method: "POST",
    path: "/api/papers",
    role: "write",
    doc: "A new writing project with its outline.",
    body: z.strictObject({
      title,
      ...fields,
      conversation: text(100).optional(),
      outline: z.array(outlineNode).max(500).optional(),
    }),
    answers: { 201: wholePaper },
    problems: ["invalid", "not-found"],
    handler: (context, { body }) => {
      const { conversation, outline, ...rest } = body;
      if (conversation !== undefined) ownConversation(context, conversation);
      let id = "";
      const answer = context.commit(() => {
        const made = inRules(() =>
          papersOf(context).create(
            {
              ...rest,
              authors: rest.authors ?? [],
              owner: context.principal.name,
              conversation: conversation ?? null,
              outline: (outline ?? []) as readonly OutlineNode[],
            },
            writerOf(context),
          ),
        );
        id = made.paper.id;
        return {
          status: 201,
          body: shown(made),
          headers: { ...etagHeader(1), location: `/api/papers/${id}` },
        };
      });
      context.services.hub.wrote(conversation ?? `paper:${id}`);
      return answer;
    },
  }),
  route({
    method: "GET",
    path: "/api/papers/{paper}",
    role: "read",
    doc: "A paper with its sections and references.",
    answers: { 200: wholePaper },
    problems: ["not-found"],
    handler: (context, { params }) => {
      const { id, version: now } = ownPaper(context, params.paper);
      return ok(shown(papersOf(context).mustGet(id)), etagHeader(now));
    },
  }),
  route({
    method: "PATCH",
    path: "/api/papers/{paper}",
    role: "write",
    doc: "Changes fields of a paper.",
    body: z.strictObject({
      title: title.optional(),
      ...fields,
      state: z.enum(paperStates).optional(),
      version,
    }),
    answers: { 200: changed },
    problems,
    handler: (context, { params, body: { version: value, ...set } }) =>
      change(context, params.paper, (papers) =>
        papers.change(params.paper, set, seen(context, value), writerOf(context)),
      ),
  }),
  route({
    method: "DELETE",
    path: "/api/papers/{paper}",
    role: "write",
    doc: "Deletes a paper.",
    answers: { 204: null },
    problems: ["not-found"],
    handler: (context, { params }) => {
      const { conversation } = ownPaper(context, params.paper);
      papersOf(context).remove(params.paper);
      context.services.hub.wrote(conversation ?? `paper:${params.paper}`);
      return nothing;
    },
  }),
  route({
    method: "PUT",
    path: "/api/papers/{paper}/outline",
    role: "write",
    doc: "Sections in order: adds, renames, moves. What was written is never deleted; it is told as `kept`.",
    body: z.strictObject({ outline: z.array(outlineNode).max(500), version }),
    answers: { 200: changed.extend({ kept: z.array(z.string()) }) },
    problems,
    handler: (context, { params, body }) =>
      change(context, params.paper, (papers) =>
        papers.outline(
          params.paper,
          body.outline as readonly OutlineNode[],
          seen(context, body.version),
          writerOf(context),
        ),
      ),
  }),
  route({
    method: "POST",
    path: "/api/papers/{paper}/sections",
    role: "write",
    doc: "Adds a section.",
    body: z.strictObject({
      title,
      body: text(1_048_576).optional(),
      summary: text(10_000).optional(),
      parent: text(100).nullable().optional(),
      position: z.number().int().min(0).optional(),
    }),
    answers: { 201: changed.extend({ section: z.string() }) },
    problems,
    handler: (context, { params, body }) =>
      change(context, params.paper, (papers) => papers.addSection(params.paper, body, writerOf(context)), {
        status: 201,
      }),
  }),
  route({
    method: "GET",
    path: "/api/papers/{paper}/sections/{section}",
    role: "read",
    doc: "A section by its id or label.",
    answers: { 200: sectionRecord },
    problems: ["not-found"],
    handler: (context, { params }) => {
      ownPaper(context, params.paper);
      const found = inRules(() => papersOf(context).mustFindSection(params.paper, params.section));
      return ok(found, etagHeader(found.version));
    },
  }),
  route({
    method: "PUT",
    path: "/api/papers/{paper}/sections/{section}",
    role: "write",
    doc: "Writes a section. A version that is not the section's is 412, with the text that stands there.",
    body: z.strictObject({
      body: text(1_048_576).optional(),
      title: title.optional(),
      label: z.string().regex(labelPattern).max(60).optional(),
      summary: text(10_000).optional(),
      version,
    }),
    answers: { 200: changed },
    problems,
    handler: (context, { params, body: { version: value, ...set } }) =>
      change(
        context,
        params.paper,
        (papers) =>
          papers.writeSection(params.paper, params.section, set, seen(context, value), writerOf(context)),
        { wanted: set.body },
      ),
  }),
  route({
    method: "DELETE",
    path: "/api/papers/{paper}/sections/{section}",
    role: "write",
    doc: "Takes a section out; versions keep it.",
    answers: { 200: changed },
    problems,
    handler: (context, { params }) =>
      change(context, params.paper, (papers) =>
        papers.removeSection(params.paper, params.section, seen(context, undefined), writerOf(context)),
      ),
  }),
  route({
    method: "POST",
    path: "/api/papers/{paper}/sections/{section}/move",
    role: "write",
    doc: "Moves a section with those in it.",
    body: z.strictObject({
      parent: text(100).nullable(),
      position: z.number().int().min(0),
      version,
    }),
    answers: { 200: changed },
    problems,
    handler: (context, { params, body: { version: value, ...to } }) =>
      change(context, params.paper, (papers) =>
        papers.moveSection(params.paper, params.section, to, seen(context, value), writerOf(context)),
      ),
  }),
  route({
    method: "GET",
    path: "/api/papers/{paper}/versions",
    role: "read",
    doc: "Versions, the newest first.",
    query: z.strictObject(pageQuery),
    answers: {
      200: listOf(versionRecord),
    },
    problems: ["not-found", "bad-cursor"],
    handler: (context, { params, query: { limit, after } }) => {
      ownPaper(context, params.paper);
      if (after !== undefined && !/^\d{1,9}$/.test(after)) throw badCursor();
      const found = papersOf(context).stored.versions({
        id: params.paper,
        before: after === undefined ? null : Number(after),
        limit: limit + 1,
      });
      const items = found.slice(0, limit);
      return ok({ items, next: found.length > limit ? String(items.at(-1)?.n) : null });
    },
  }),
  route({
    method: "GET",
    path: "/api/papers/{paper}/versions/{n}",
    role: "read",
    doc: "The paper as it was at a version.",
    answers: { 200: wholePaper },
    problems: ["not-found"],
    handler: (context, { params }) => ok(shown(wholeAt(context, params.paper, params.n))),
  }),
  route({
    method: "GET",
    path: "/api/papers/{paper}/versions/{n}/diff",
    role: "read",
    doc: "What changed from a version to another; without `to` to the newest.",
    query: z.strictObject({ to: z.coerce.number().int().min(1).optional() }),
    answers: { 200: difference },
    problems: ["not-found"],
    handler: (context, { params, query: { to } }) => {
      const { version: now } = ownPaper(context, params.paper);
      const before = wholeAt(context, params.paper, params.n);
      return ok(paperDifference(before, wholeAt(context, params.paper, String(to ?? now))));
    },
  }),
  route({
    method: "POST",
    path: "/api/papers/{paper}/restore",
    role: "write",
    doc: "A new version that is like an old one.",
    body: z.strictObject({ version: z.number().int().min(1).describe("Number of the old version.") }),
    answers: { 200: changed },
    problems,
    handler: (context, { params, body }) =>
      change(context, params.paper, (papers) =>
        papers
          .by(writerOf(context))
          .restore({ id: params.paper, n: body.version, version: seen(context, undefined) }),
      ),
  }),
  route({
    method: "GET",
    path: "/api/papers/{paper}/references/{key}",
    role: "read",
    doc: "A reference.",
    answers: { 200: referenceRecord },
    problems: ["not-found"],
    handler: (context, { params }) => {
      ownPaper(context, params.paper);
      const found = papersOf(context)
        .mustGet(params.paper)
        .references.find(({ key }) => key === params.key);
      if (found === undefined) throw notFound("reference");
      return ok(found);
    },
  }),
  route({
    method: "PUT",
    path: "/api/papers/{paper}/references/{key}",
    role: "write",
    doc: "Adds or replaces a reference. What somebody writes himself is unverified.",
    body: z.strictObject({ item, quote: text(10_000).optional() }),
    answers: { 200: changed },
    problems,
    handler: (context, { params, body }) =>
      change(context, params.paper, (papers) => {
        const { version: made } = papers.putReferences(
          params.paper,
          [
            {
              key: params.key,
              item: body.item as { readonly [name: string]: Json },
              quote: body.quote ?? "",
            },
          ],
          writerOf(context),
        );
        return { version: made };
      }),
  }),
  route({
    method: "DELETE",
    path: "/api/papers/{paper}/references/{key}",
    role: "write",
    doc: "Removes a reference.",
    answers: { 200: changed },
    problems,
    handler: (context, { params }) =>
      change(context, params.paper, (papers) =>
        papers.by(writerOf(context)).removeReference({ id: params.paper, key: params.key }),
      ),
  }),
  route({
    method: "POST",
    path: "/api/papers/{paper}/import",
    role: "write",
    doc: "Adds the references of a BibTeX text, unverified.",
    body: z.strictObject({ bibtex: text(1_500_000) }),
    answers: {
      200: imported,
    },
    problems,
    handler: (context, { params, body }) =>
      change(context, params.paper, (papers) => {
        const read = referencesOfBibtex(body.bibtex);
        const done = papers.importReferences(params.paper, read.references, writerOf(context));
        return { ...done, problems: read.problems };
      }),
  }),
  route({
    method: "GET",
    path: "/api/papers/{paper}/check",
    role: "read",
    doc: "What is wrong with the paper.",
    answers: { 200: z.object({ findings: z.array(finding) }) },
    problems: ["not-found"],
    handler: (context, { params }) => {
      ownPaper(context, params.paper);
      return ok({ findings: checkPaper(exportable(context, params.paper)) });
    },
  }),
  route({
    method: "GET",
    path: "/api/papers/{paper}/export",
    role: "read",
    doc: "The paper in a format: its first file, with the findings in `X-Harn-Findings`; all files as JSON with `files=all`, those of bytes as `base64`. `pdf` needs an engine on the server's machine.",
    query: z.strictObject({
      format: formats,
      version: z.coerce.number().int().min(1).optional(),
      files: z.enum(["first", "all"]).default("first"),
    }),
    answers: { 200: "*/*" },
    problems: ["not-found", "invalid"],
    handler: async (context, { params, query: { format, version: n, files: which } }) => {
      const { conversation } = ownPaper(context, params.paper);
      const paper = await withImages(context, exportable(context, params.paper, n), conversation);
      const made = await exportAs(paper, format === "pdf" ? "latex" : format);
      const { files: exported, findings } = format === "pdf" ? await printed(made, paper) : made;
      if (which === "all") return ok({ files: exported.map(inJson), findings });
      const [first] = exported;
      return new Response((first?.content ?? "") as Uint8Array<ArrayBuffer> | string, {
        headers: {
          "content-type": formatFacts[format].mediaType,
          "content-disposition": `attachment; filename="${first?.path ?? "paper"}"`,
          "content-security-policy": "sandbox",
          "x-content-type-options": "nosniff",
          "cache-control": "no-store",
          "x-harn-findings": findingsHeader(findings),
        },
      });
    },
  }),
];

/** At a version, checked to be the principal's. */
function wholeAt(context: RequestContext, id: string, n: string): WholePaper {
  ownPaper(context, id);
  if (!/^[1-9]\d{0,8}$/.test(n)) throw notFound("version");
  return inRules(() => papersOf(context).stored.at({ id, n: Number(n) }));
}

const inJson = ({ path, content }: ExportFile): unknown =>
  typeof content === "string" ? { path, content } : { path, base64: Buffer.from(content).toString("base64") };

/** By the first engine that the server's machine has. */
async function printed({ files, findings }: PaperExport, paper: Paper): Promise<PaperExport> {
  try {
    const pdf: Pdf = await pdfOf({
      latex: async () => files,
      html: async () => (await exportAs(paper, "html")).files,
    });
    return { files: [{ path: "paper.pdf", content: pdf.bytes }], findings: findingsOfPdf(findings, pdf) };
  } catch (error) {
    if (error instanceof PdfError) throw new HttpProblem("invalid", error.message);
    throw error;
  }
}

/** With the images of its conversation's workspace: those that the workspace would serve. */
async function withImages(
  context: RequestContext,
  paper: Paper,
  conversation: string | null,
): Promise<Paper> {
  const workspace =
    conversation === null
      ? null
      : (context.services.conversations.get({ id: conversation })?.workspace ?? null);
  const images = new Map<string, Uint8Array>();
  if (workspace !== null) {
    for (const path of imagePaths(paper)) {
      const bytes = await placeIn(workspace, path).then(
        (place) => bytesOfFile(place, context.services.limits.upload),
        () => null,
      );
      if (bytes != null) images.set(path, bytes);
    }
  }
  return { ...paper, images };
}

function exportable(context: RequestContext, id: string, n?: number): Paper {
  const desk = writingStoreOf(context);
  const papers = new Papers(desk);
  const whole = n === undefined ? papers.mustGet(id) : inRules(() => papers.stored.at({ id, n }));
  return paperOf(whole, { sourceText: (source) => desk.sourceText(source) });
}
