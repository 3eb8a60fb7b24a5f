/** Errors of the HTTP interface (RFC 9457): one row per slug. */

/** Slug ▸ status. The texts and codes are the server's. */
export const problemStatus = {
  "bad-json": 400,
  "bad-cursor": 400,
  "bad-path": 400,
  "login-needed": 401,
  forbidden: 403,
  "bad-host": 403,
  "bad-origin": 403,
  csrf: 403,
  "not-found": 404,
  "method-not-allowed": 405,
  "not-acceptable": 406,
  busy: 409,
  "already-answered": 409,
  "in-progress": 409,
  "not-queued": 409,
  expired: 410,
  changed: 412,
  "too-large": 413,
  "not-json": 415,
  invalid: 422,
  "invalid-answer": 422,
  "key-reused": 422,
  "no-such-step": 422,
  "slow-down": 429,
  internal: 500,
  stopping: 503,
  store: 503,
  "disk-full": 507,
} as const;

export type ProblemSlug = keyof typeof problemStatus;

export interface Problem {
  /** `urn:harn:problem:SLUG`. */
  readonly type: string;
  readonly title: string;
  readonly status: number;
  /** What happened and what to do. */
  readonly detail: string;
  /** `HARN-SRV-NNN`. */
  readonly code: string;
  readonly errors?: readonly { readonly path: string; readonly message: string }[];
}

/** The slug of a problem that came over the wire; null for none of ours. */
export function slugOf(problem: Pick<Problem, "type">): ProblemSlug | null {
  const slug = problem.type.replace(/^urn:harn:problem:/, "");
  return Object.hasOwn(problemStatus, slug) ? (slug as ProblemSlug) : null;
}
