/**
 * A row of the table of routes. Router, validation, `GET /api/openapi.json` and the tests that try every route with
 * somebody else's ids are made from the rows alone (`routes/index.ts` joins them).
 *
 * To add a route: a `route({…})` in a file of `routes/`, in the list that the file exports. Its handler gets what was
 * validated, throws a `Problem` for what can't be done, and gives an `HttpAnswerBody`.
 */
import { z } from "zod";
import type { HttpAnswerBody } from "./answer.ts";
import type { RequestContext } from "./context.ts";
import type { ProblemSlug } from "./protocol/index.ts";

export type { HttpAnswerBody } from "./answer.ts";

export type HttpMethod = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** `none`: no login; each of the others may do what stands before it, too. */
export type RouteRole = "none" | "read" | "write" | "admin";

type ResponseBody = z.ZodType | string;

export interface Route {
  readonly method: HttpMethod;
  /** `/api/conversations/{id}`; `{path*}` takes the rest, with its slashes. */
  readonly path: string;
  readonly role: RouteRole;
  /** What it does, in a sentence. */
  readonly doc: string;
  readonly query: z.ZodObject;
  /** `undefined`: no body; `"bytes"`: the handler reads `context.request.body` itself. */
  readonly body: z.ZodType | "bytes" | undefined;
  /** A body may be left out: it counts as `{}`. */
  readonly mayLackBody: boolean;
  /** By status: what the JSON of the answer is, the media type of something else, or both. */
  readonly answers: Readonly<Record<number, ResponseBody | readonly ResponseBody[] | null>>;
  /** Problems of its own, besides those that every route has. */
  readonly problems: readonly ProblemSlug[];
  readonly handler: (
    context: RequestContext,
    input: RequestInput,
  ) => HttpAnswerBody | Response | Promise<HttpAnswerBody | Response>;
}

interface RequestInput<Params = Readonly<Record<string, string>>, Query = unknown, Body = unknown> {
  readonly params: Params;
  readonly query: Query;
  readonly body: Body;
}

type PathNames<P extends string> = P extends `${string}{${infer Name}}${infer Rest}`
  ? (Name extends `${infer Plain}*` ? Plain : Name) | PathNames<Rest>
  : never;

export interface RouteSpec<P extends string, Q extends z.ZodObject, B extends z.ZodType | "bytes"> {
  readonly method: HttpMethod;
  readonly path: P;
  readonly role: RouteRole;
  readonly doc: string;
  readonly query?: Q;
  readonly body?: B;
  readonly mayLackBody?: boolean;
  readonly answers: Route["answers"];
  readonly problems?: readonly ProblemSlug[];
  readonly handler: (
    context: RequestContext,
    input: RequestInput<
      { readonly [N in PathNames<P>]: string },
      z.output<Q>,
      B extends z.ZodType ? z.output<B> : undefined
    >,
  ) => HttpAnswerBody | Response | Promise<HttpAnswerBody | Response>;
}

const noQuery = z.strictObject({});

/** A row; the types of what its handler gets come from path and schemas. */
export function route<
  const P extends string,
  Q extends z.ZodObject = typeof noQuery,
  B extends z.ZodType | "bytes" = "bytes",
>(spec: RouteSpec<P, Q, B>): Route {
  return {
    ...spec,
    query: spec.query ?? noQuery,
    body: spec.body,
    mayLackBody: spec.mayLackBody ?? false,
    problems: spec.problems ?? [],
    // One cast: the table's rows forget what their schemas say; `dispatch.ts` validates with these very schemas.
    handler: spec.handler as unknown as Route["handler"],
  };
}

export const ok = (body: unknown, headers?: Readonly<Record<string, string>>): HttpAnswerBody => ({
  status: 200,
  body,
  ...(headers === undefined ? {} : { headers }),
});

export const nothing: HttpAnswerBody = { status: 204 };

/** Lists: `limit` and `after`. */
export const pageQuery = {
  limit: z.coerce.number().int().min(1).max(200).default(50).describe("How many at most."),
  after: z.string().max(400).optional().describe("`next` of the page before."),
};

/** The answer of a list. */
export const listOf = <T extends z.ZodType>(item: T) =>
  z.object({ items: z.array(item), next: z.string().nullable().describe("For `after`; null at the end.") });
