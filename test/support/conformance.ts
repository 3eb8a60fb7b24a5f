/** Whether an answer is one that the description of the API (docs/openapi.json) promises: held against the table it is made from. */
import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import { type ProblemSlug, problemStatus } from "../../src/server/protocol/index.ts";
import type { Route } from "../../src/server/route.ts";
import { allRoutes } from "../../src/server/routes/index.ts";

/** What every route may refuse, besides what its row says. */
const everywhere: ReadonlySet<string> = new Set([
  "login-needed",
  "forbidden",
  "bad-host",
  "bad-origin",
  "csrf",
  "bad-path",
  "slow-down",
  "store",
  "stopping",
  "disk-full",
  "not-acceptable",
  "internal",
  "invalid",
]);
const ofBodies: ReadonlySet<string> = new Set(["bad-json", "not-json", "too-large"]);
const ofKeys: ReadonlySet<string> = new Set(["key-reused", "in-progress"]);

const problem = z.looseObject({
  type: z.string().regex(/^urn:harn:problem:[a-z-]+$/),
  title: z.string().min(1),
  status: z.number().int(),
  detail: z.string().min(1),
  code: z.string().regex(/^HARN-SRV-\d{3}$/),
  errors: z.array(z.strictObject({ path: z.string(), message: z.string().min(1) })).optional(),
});

const patterns = allRoutes.map((row) => ({
  row,
  form: new RegExp(
    `^${row.path.replace(/\{(\w+)(\*)?\}/g, (_all, _name, rest) => (rest ? "(.+)" : "[^/]+"))}$`,
  ),
}));

/** The row that a request goes to; `undefined`: no route, or a method that there is not. */
const rowOf = (method: string, path: string): Route | undefined =>
  patterns.find(({ row, form }) => row.method === (method === "HEAD" ? "GET" : method) && form.test(path))
    ?.row;

/** Throws an `Error` in words for an answer that nobody was promised. */
export function mustConform(request: Request, response: Response, text: string): void {
  const { pathname } = new URL(request.url);
  const row = rowOf(request.method, pathname);
  const type = (response.headers.get("content-type") ?? "").split(";")[0]?.trim() ?? "";
  const wrong = (why: string): Error =>
    new Error(
      `${request.method} ${pathname} answered ${response.status} (${type}): ${why}\n${text.slice(0, 2000)}`,
    );
  if (type === "application/problem+json") {
    const parsed = problem.safeParse(JSON.parse(text));
    if (!parsed.success) throw wrong(`no problem: ${z.prettifyError(parsed.error)}`);
    const slug = parsed.data.type.slice("urn:harn:problem:".length);
    if (problemStatus[slug as ProblemSlug] !== response.status || parsed.data.status !== response.status)
      throw wrong("another status than the problem has");
    if (row === undefined) return;
    const isAnnounced =
      everywhere.has(slug) ||
      row.problems.includes(slug as ProblemSlug) ||
      (row.body !== undefined && ofBodies.has(slug)) ||
      (row.method === "POST" && ofKeys.has(slug));
    if (!isAnnounced) throw wrong(`the row does not say that it has the problem ${slug}`);
    return;
  }
  if (row === undefined) return;
  const report = row.answers[response.status];
  if (report === undefined) throw wrong("the row has no such status");
  const forms = report === null ? [] : [report].flat();
  if (forms.length === 0) {
    if (text !== "") throw wrong("there must be no body");
    return;
  }
  if (type !== "application/json") {
    if (!forms.some((one) => one === "*/*" || one === type))
      throw wrong("another media type than the row says");
    return;
  }
  if (request.method === "HEAD") return;
  const value: unknown = JSON.parse(text);
  const schemas = forms.filter((one) => typeof one !== "string");
  if (schemas.length === 0 && forms.includes("*/*")) return;
  const problems = schemas.map((schema) => {
    const parsed = schema.safeParse(value);
    if (!parsed.success) return z.prettifyError(parsed.error);
    // What a schema does not know it leaves out.
    return isDeepStrictEqual(parsed.data, value)
      ? undefined
      : `fields that nobody was told of: ${JSON.stringify(parsed.data).slice(0, 1000)}`;
  });
  if (!problems.includes(undefined)) throw wrong(problems.join("\n") || "no JSON was promised");
}
