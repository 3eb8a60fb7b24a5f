/** What goes wrong, as clients are told: `application/problem+json` (RFC 9457) with a code of the catalogue. */
import { type Code, catalogue } from "../diagnostics/index.ts";
import { isDiskFull, StoreError } from "../store/index.ts";
import { type ProblemSlug, problemStatus } from "./protocol/index.ts";

/** The title of a problem is the catalogue's message of its code. */
const codes = {
  "bad-json": "HARN-SRV-001",
  "bad-cursor": "HARN-SRV-002",
  "bad-path": "HARN-SRV-003",
  "login-needed": "HARN-SRV-004",
  forbidden: "HARN-SRV-005",
  "bad-host": "HARN-SRV-006",
  "bad-origin": "HARN-SRV-007",
  csrf: "HARN-SRV-008",
  "not-found": "HARN-SRV-009",
  "method-not-allowed": "HARN-SRV-010",
  "not-acceptable": "HARN-SRV-011",
  busy: "HARN-SRV-012",
  "already-answered": "HARN-SRV-013",
  "in-progress": "HARN-SRV-014",
  "not-queued": "HARN-SRV-015",
  expired: "HARN-SRV-016",
  changed: "HARN-SRV-017",
  "too-large": "HARN-SRV-018",
  "not-json": "HARN-SRV-019",
  invalid: "HARN-SRV-020",
  "invalid-answer": "HARN-SRV-021",
  "key-reused": "HARN-SRV-022",
  "no-such-step": "HARN-SRV-023",
  "slow-down": "HARN-SRV-024",
  internal: "HARN-SRV-025",
  stopping: "HARN-SRV-026",
  store: "HARN-SRV-027",
  "disk-full": "HARN-SRV-028",
} as const satisfies Record<ProblemSlug, Code>;

export interface FieldError {
  /** `body.config.max_iterations`, `query.limit` */
  readonly path: string;
  readonly message: string;
}

export interface ProblemParts {
  readonly errors?: readonly FieldError[];
  readonly headers?: Readonly<Record<string, string>>;
  /** More members of the answer: the answer that stands, the present version. */
  readonly more?: Readonly<Record<string, unknown>>;
}

/** Thrown by handlers; `detail` is told to the client: no path outside of the project, no token. */
export class HttpProblem extends Error {
  readonly slug: ProblemSlug;
  readonly parts: ProblemParts;

  constructor(slug: ProblemSlug, detail: string, parts: ProblemParts = {}) {
    super(detail);
    this.slug = slug;
    this.parts = parts;
  }

  get status(): number {
    return problemStatus[this.slug];
  }
}

export const notFound = (what: string): HttpProblem =>
  new HttpProblem("not-found", `there is no such ${what}`);

export const badCursor = (): HttpProblem =>
  new HttpProblem("bad-cursor", "`after` must be the `next` of a page");

/** The body of the answer. */
export function problemBody({ slug, message, parts }: HttpProblem): Record<string, unknown> {
  const code = codes[slug];
  return {
    type: `urn:harn:problem:${slug}`,
    title: catalogue[code].message(undefined),
    status: problemStatus[slug],
    detail: message,
    code,
    ...(parts.errors === undefined ? {} : { errors: parts.errors }),
    ...parts.more,
  };
}

export function problemResponse(problem: HttpProblem): Response {
  const { headers } = problem.parts;
  return new Response(`${JSON.stringify(problemBody(problem))}\n`, {
    status: problem.status,
    headers: { "content-type": "application/problem+json", "cache-control": "no-store", ...headers },
  });
}

const retrySoon = { headers: { "retry-after": "1" } };

/** What a handler threw, as a problem; `undefined`: a mistake of ours. Messages of the store name files: they are not told. */
export function problemOf(error: unknown): HttpProblem | undefined {
  if (error instanceof HttpProblem) return error;
  // The store's disk or the one that files lie on.
  if (isDiskFull(error)) return new HttpProblem("disk-full", "nothing more can be written");
  if (!(error instanceof StoreError)) return undefined;
  switch (error.fault) {
    case "missing":
      return notFound("thing");
    case "full":
      return new HttpProblem("slow-down", error.message, { headers: { "retry-after": "5" } });
    case "busy":
      return new HttpProblem("store", "the store is in use by another process; try again", retrySoon);
    default:
      return new HttpProblem("store", "the store can't be used at the moment", retrySoon);
  }
}
