/** The table of routes as one function from a request to its answer; no sockets. */
import { Hono } from "hono";
import { hostNames, mustBeOurs, type OwnNames } from "./auth/guard.ts";
import type { Services } from "./context.ts";
import { dispatch, type RequestArrival } from "./dispatch.ts";
import { HttpProblem, notFound, problemOf, problemResponse } from "./problems.ts";
import type { Route } from "./route.ts";

/** A line of the log: never bodies, queries or tokens. */
export interface Logged {
  readonly method: string;
  /** `/api/conversations/{id}`; "" for what is no route. */
  readonly route: string;
  readonly status: number;
  readonly ms: number;
  readonly principal: string;
  /** Of a mistake of ours, with the number that the client was told. */
  readonly error?: string;
}

export interface AppOptions {
  readonly services: Services;
  readonly rows: readonly Route[];
  /** Asked at each request: the port is known when the server listens. */
  readonly names: () => OwnNames;
  /** Pages and their files; `undefined`: it has none of this address. */
  readonly pages: (request: Request) => Response | undefined;
  readonly log: (line: Logged) => void;
}

/** What the adapter to sockets tells besides the request. */
export interface PeerConnection {
  readonly remote: string;
  /** The host that the request line names, where that is a whole address. */
  readonly target?: string | undefined;
}

const always = [
  ["x-content-type-options", "nosniff"],
  ["referrer-policy", "no-referrer"],
  ["cross-origin-opener-policy", "same-origin"],
  ["cross-origin-resource-policy", "same-origin"],
] as const;
const forData = "default-src 'none'; frame-ancestors 'none'; sandbox";

export type Fetch = (request: Request, connection?: PeerConnection) => Promise<Response>;

/** What is found out about a request on its way. */
interface RequestTrace {
  route: string;
  who: string;
  error: string | undefined;
}

interface Env {
  readonly Bindings: PeerConnection & { readonly seen: RequestTrace };
}

function addRoutes(hono: Hono<Env>, services: AppOptions["services"], rows: AppOptions["rows"]): void {
  for (const row of rows) {
    const params = paramsReader(row.path);
    hono.on(row.method, honoPath(row.path), async ({ req, env: { seen, remote } }) => {
      seen.route = row.path;
      const arrived: RequestArrival = { request: req.raw, remote, signal: req.raw.signal };
      const setPrincipal = (who: string): void => {
        seen.who = who;
      };
      return await dispatch(services, row, arrived, params(new URL(req.url).pathname), setPrincipal);
    });
  }
}

function refuseOtherMethods(hono: Hono<Env>, rows: AppOptions["rows"]): void {
  for (const [path, methods] of methodsByPath(rows)) {
    hono.all(honoPath(path), ({ req, env: { seen } }) => {
      seen.route = path;
      throw new HttpProblem("method-not-allowed", `${req.method} is not allowed here`, {
        headers: { allow: methods.join(", ") },
      });
    });
  }
}

export function makeApp({ services, rows, names, pages, log }: AppOptions): Fetch {
  const hono = new Hono<Env>();
  addRoutes(hono, services, rows);
  refuseOtherMethods(hono, rows);
  hono.notFound(({ req }) => {
    const isPage = req.method === "GET" || req.method === "HEAD";
    const page = isPage && !/^\/(api|v1)(\/|$)/.test(req.path) ? pages(req.raw) : undefined;
    return page ?? problemResponse(notFound("address"));
  });
  hono.onError((error, { env: { seen } }) => {
    const problem = problemOf(error);
    if (problem !== undefined) return problemResponse(problem);
    const number = Buffer.from(services.clock.randomBytes(6)).toString("hex");
    seen.error = `${number}: ${error.stack ?? error.message}`;
    return problemResponse(
      new HttpProblem("internal", `something went wrong; the server's log has it as ${number}`),
    );
  });

  return async (request, connection = { remote: "local" }) => {
    const began = services.clock.now();
    const seen: RequestTrace = { route: "", who: "", error: undefined };
    const answer =
      refused(request, names, connection) ?? (await hono.fetch(request, { ...connection, seen }));
    // Headers of a `Response.redirect` and the like can't be changed; ours can.
    for (const [name, value] of always) answer.headers.set(name, value);
    if (!answer.headers.has("content-security-policy"))
      answer.headers.set("content-security-policy", forData);
    log({
      method: request.method,
      route: seen.route,
      status: answer.status,
      ms: services.clock.now() - began,
      principal: seen.who,
      ...(seen.error === undefined ? {} : { error: seen.error }),
    });
    return answer;
  };
}

function refused(request: Request, names: () => OwnNames, { target }: PeerConnection): Response | undefined {
  try {
    mustBeOurs(request, hostNames(names()), target);
    return undefined;
  } catch (error) {
    if (error instanceof HttpProblem) return problemResponse(error);
    throw error;
  }
}

/** `/api/x/{id}/files/{path*}` as Hono writes it. */
const honoPath = (path: string): string =>
  path.replace(/\{(\w+)(\*)?\}/g, (_all, name: string, rest) =>
    rest === undefined ? `:${name}` : `:${name}{.+}`,
  );

/** Reads the parameters of a path as they were sent, still encoded. */
function paramsReader(path: string): (pathname: string) => Record<string, string> {
  const names: string[] = [];
  const pattern = path.replace(/\{(\w+)(\*)?\}/g, (_all, name: string, rest) => {
    names.push(name);
    return rest === undefined ? "([^/]+)" : "(.+)";
  });
  const form = new RegExp(`^${pattern}$`);
  return (pathname) => {
    const found = form.exec(pathname) ?? [];
    return Object.fromEntries(names.map((name, index) => [name, found[index + 1] ?? ""]));
  };
}

function methodsByPath(rows: readonly Route[]): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const { path, method } of rows) {
    const methods = found.get(path) ?? [];
    if (method === "GET") methods.push("HEAD");
    found.set(path, [...methods, method]);
  }
  return found;
}
