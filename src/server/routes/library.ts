/**
 * The library of references (docs/papers.md): one for all who use the server. What comes over HTTP is somebody's words, so it is
 * kept as unverified, and never stands in the place of what a register or a page said.
 */
import { z } from "zod";
import type { Json } from "../../effects/index.ts";
import { Library } from "../../writing/durable/index.ts";
import { referencesOfBibtex } from "../../writing/text/index.ts";
import type { RequestContext } from "../context.ts";
import { notFound } from "../problems.ts";
import type { LibraryAdded, LibraryRecord } from "../protocol/index.ts";
import { nothing, ok, type Route, route } from "../route.ts";
import { serverLimits } from "../server-limits.ts";
import { inRules, writingStoreOf } from "../writing-desk.ts";
import { cslItem as item, typedSchema } from "./schemas.ts";

const libraryRecord = typedSchema<LibraryRecord>()(
  z.object({
    key: z.string(),
    item,
    verified: z.boolean(),
    origin: z.record(z.string(), z.json()).nullable(),
    source: z.string().nullable(),
    added: z.number(),
  }),
);

const titled = item.refine(({ title }) => typeof title === "string" && title.trim() !== "", {
  message: "must have a title",
  path: ["title"],
});
const fieldsOf = (value: z.infer<typeof item>) => value as { readonly [name: string]: Json };
const libraryOf = (context: RequestContext): Library => new Library(writingStoreOf(context));

export const libraryRoutes: readonly Route[] = [
  route({
    method: "GET",
    path: "/api/library",
    role: "read",
    doc: "References of the library that have all words of `q`, the best first; without words the newest.",
    query: z.strictObject({
      q: z.string().max(serverLimits.query).optional(),
      limit: z.coerce.number().int().min(1).max(200).default(50),
    }),
    answers: { 200: z.object({ items: z.array(libraryRecord) }) },
    handler: (context, { query: { q, limit } }) => ok({ items: libraryOf(context).search(q ?? "", limit) }),
  }),
  route({
    method: "POST",
    path: "/api/library",
    role: "write",
    doc: "Adds a reference, or those of a BibTeX text, unverified; an item's key is made. A work that is there already is given back as it is; one whose BibTeX key another work has gets one that is made.",
    body: z
      .strictObject({ item: titled.optional(), bibtex: z.string().max(1_500_000).optional() })
      .refine((value) => (value.item === undefined) !== (value.bibtex === undefined), {
        message: "must have either `item` or `bibtex`",
      }),
    answers: {
      201: typedSchema<LibraryAdded>()(
        z.object({
          items: z.array(libraryRecord),
          problems: z.array(z.object({ line: z.number(), message: z.string() })),
        }),
      ),
    },
    problems: ["invalid"],
    handler: (context, { body }) =>
      context.commit(() => {
        const library = libraryOf(context);
        const read =
          body.bibtex === undefined
            ? { references: [{ key: undefined, item: fieldsOf(body.item ?? {}) }], problems: [] }
            : referencesOfBibtex(body.bibtex);
        const items = inRules(() =>
          read.references.map((one) => library.add({ ...one, verified: false, origin: null })),
        );
        return { status: 201, body: { items, problems: read.problems } };
      }),
  }),
  route({
    method: "GET",
    path: "/api/library/{key}",
    role: "read",
    doc: "A reference of the library.",
    answers: { 200: libraryRecord },
    problems: ["not-found"],
    handler: (context, { params }) => ok(found(context, params.key)),
  }),
  route({
    method: "PUT",
    path: "/api/library/{key}",
    role: "write",
    doc: "Adds a reference under this key, or changes it, unverified. One that is verified stays as it is: 422.",
    body: z.strictObject({ item: titled }),
    answers: { 200: libraryRecord },
    problems: ["invalid"],
    handler: (context, { params, body }) =>
      context.commit(() => ({
        status: 200,
        body: inRules(() => libraryOf(context).write(params.key, fieldsOf(body.item))),
      })),
  }),
  route({
    method: "DELETE",
    path: "/api/library/{key}",
    role: "admin",
    doc: "Removes a reference, also a verified one: it is everybody's, so an admin does. Papers that cite it keep it.",
    answers: { 204: null },
    problems: ["not-found"],
    handler: (context, { params }) =>
      context.commit(() => {
        found(context, params.key);
        libraryOf(context).remove(params.key);
        return nothing;
      }),
  }),
];

function found(context: RequestContext, key: string): LibraryRecord {
  const entry = libraryOf(context).stored.get({ key });
  if (entry === undefined) throw notFound("reference");
  return entry;
}
