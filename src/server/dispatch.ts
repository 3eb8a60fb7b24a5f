/**
 * One request through one row of the table: who asks, may he, is it well-formed; then the handler. What is refused is refused
 * here, so that no handler can forget it.
 */
import { mayAs, nobody, type Principal } from "./auth/access.ts";
import { isJson, mustNotBeForged, mustNotBeForm } from "./auth/guard.ts";
import type { RequestContext, Services } from "./context.ts";
import { fitting } from "./field-errors.ts";
import { Idempotency } from "./idempotency.ts";
import { HttpProblem } from "./problems.ts";
import { bytesOf, jsonOf } from "./read-body.ts";
import type { HttpAnswerBody, Route } from "./route.ts";

/** What is known of a request before its row is. */
export interface RequestArrival {
  readonly request: Request;
  readonly remote: string;
  readonly signal: AbortSignal;
}

const changing: ReadonlySet<string> = new Set(["POST", "PUT", "PATCH", "DELETE"]);

/** Throws a `HttpProblem`, or whatever the handler throws. */
export async function dispatch(
  services: Services,
  row: Route,
  { request, remote, signal }: RequestArrival,
  rawParams: Readonly<Record<string, string>>,
  setPrincipal: (principal: string) => void,
): Promise<Response> {
  const url = new URL(request.url);
  const { principal, find } = whoAsks(services, row, request, remote);
  setPrincipal(principal.name);
  if (!services.rate.take(principal === nobody ? `address ${remote}` : principal.name))
    throw new HttpProblem("slow-down", "too many requests; wait a second", {
      headers: { "retry-after": "1" },
    });
  if (!mayAs(row.role === "none" ? "admin" : principal.role, row.role))
    throw new HttpProblem("forbidden", `this needs the role ${row.role}, yours is ${principal.role}`);
  mustAccept(row, request);
  const params = decodedParams(rawParams);
  const query = fitting(row.query, queryOf(url), "query");
  const bytes = row.body === "bytes" ? undefined : await bytesOf(request, services.limits.jsonBody);
  const body = bytes === undefined ? undefined : bodyOf(services, row, request, bytes);
  if (changing.has(row.method) && services.isStopping() && row.role !== "none")
    throw new HttpProblem("stopping", "the server is stopping", { headers: { "retry-after": "5" } });
  const once = new Idempotency(services, request, principal, url.pathname, bytes);
  const context: RequestContext = {
    services,
    request,
    url,
    principal,
    isAllowed: () => {
      const now = find();
      return now?.name === principal.name && mayAs(now.role, row.role);
    },
    remote,
    signal,
    commit: (work) => once.commit(work),
  };
  return asResponse(await once.answer(() => row.handler(context, { params, query, body })));
}

interface RequestIdentity {
  readonly principal: Principal;
  /** Who that is now. */
  readonly find: () => Principal | undefined;
}

function whoAsks(services: Services, row: Route, request: Request, remote: string): RequestIdentity {
  const { access, failures } = services;
  const header = request.headers.get("authorization");
  const cookie = cookieOf(request, services.cookieName());
  if (row.role === "none") {
    // Whoever logs in sends no cookie that could be forged; the code in the body is the proof.
    const principal = (cookie === undefined ? undefined : access.byCookie(cookie)) ?? nobody;
    return { principal, find: () => principal };
  }
  const wait = failures.wait(remote);
  if (header !== null) {
    const [, token] = /^Bearer +(\S+)$/i.exec(header) ?? [];
    const find = () => (token === undefined ? undefined : access.byToken(token));
    const principal = wait > 0 ? undefined : find();
    if (principal !== undefined) return { principal, find };
    throw failedLogin(services, remote, wait);
  }
  if (cookie !== undefined) {
    const find = () => access.byCookie(cookie);
    const principal = find();
    if (principal === undefined) throw loginNeeded("the login is over");
    if (changing.has(request.method)) {
      mustNotBeForged(request);
      if (row.body !== "bytes") mustNotBeForm(request);
    }
    return { principal, find };
  }
  throw loginNeeded("send `Authorization: Bearer TOKEN`, or log in");
}

/** A wrong token counts as a failure; when there were too many, not even a right one is looked at. */
export function failedLogin(
  { failures }: Pick<Services, "failures">,
  remote: string,
  wait: number,
): HttpProblem {
  if (wait > 0)
    return new HttpProblem("slow-down", `too many failed logins; wait ${wait} s`, {
      headers: { "retry-after": String(wait) },
    });
  failures.note(remote);
  return loginNeeded("this token, code or login is not known");
}

const loginNeeded = (why: string): HttpProblem =>
  new HttpProblem("login-needed", why, { headers: { "www-authenticate": "Bearer" } });

export function cookieOf(request: Request, name: string): string | undefined {
  for (const pair of (request.headers.get("cookie") ?? "").split(";")) {
    const at = pair.indexOf("=");
    if (at >= 0 && pair.slice(0, at).trim() === name) return pair.slice(at + 1).trim();
  }
  return undefined;
}

/** The media types of what a row gives; JSON goes with everything. */
const mediaTypes = (row: Route): string[] => [
  "application/json",
  ...Object.values(row.answers)
    .flat()
    .filter((one) => typeof one === "string"),
];

function mustAccept(row: Route, request: Request): void {
  const accept = request.headers.get("accept");
  if (accept === null || accept.trim() === "") return;
  const wanted = accept.split(",").map((one) => one.split(";")[0]?.trim().toLowerCase() ?? "");
  const fits = mediaTypes(row).some((type) =>
    wanted.some(
      (one) => one === "*/*" || type === "*/*" || one === type || one === `${type.split("/")[0]}/*`,
    ),
  );
  if (!fits) throw new HttpProblem("not-acceptable", `this gives ${mediaTypes(row).join(", ")}`);
}

function decodedParams(params: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(params).map(([name, text]) => {
      try {
        return [name, decodeURIComponent(text)];
      } catch {
        throw new HttpProblem("bad-path", "the address is not percent-encoded UTF-8");
      }
    }),
  );
}

/** One that is given twice is a list, which no schema takes. */
function queryOf(url: URL): Record<string, unknown> {
  const names = new Set(url.searchParams.keys());
  return Object.fromEntries(
    [...names].map((name) => {
      const values = url.searchParams.getAll(name);
      return [name, values.length === 1 ? values[0] : values];
    }),
  );
}

function bodyOf({ limits }: Services, row: Route, request: Request, bytes: Uint8Array): unknown {
  if (row.body === undefined || row.body === "bytes") {
    if (bytes.byteLength > 0 && !isEmptyJson(bytes))
      throw new HttpProblem("invalid", "this takes no body", {
        errors: [{ path: "body", message: "must be empty" }],
      });
    return undefined;
  }
  if (bytes.byteLength === 0 && row.mayLackBody) return fitting(row.body, {}, "body");
  if (!isJson(request)) throw new HttpProblem("not-json", "send `Content-Type: application/json`");
  return fitting(row.body, jsonOf(bytes, limits.jsonDepth), "body");
}

/** Pages send `{}` so that a request has a content type that no form has. */
const isEmptyJson = (bytes: Uint8Array): boolean => Buffer.from(bytes).toString().trim() === "{}";

export function asResponse(answer: HttpAnswerBody | Response): Response {
  if (answer instanceof Response) return answer;
  const headers = { "cache-control": "no-store", ...answer.headers };
  if (answer.body === undefined) return new Response(null, { status: answer.status, headers });
  return new Response(JSON.stringify(answer.body), {
    status: answer.status,
    headers: { "content-type": "application/json; charset=utf-8", ...headers },
  });
}
