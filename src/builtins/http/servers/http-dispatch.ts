/**
 * How an HTTP server of a run answers a request (builtins.md §2.15):
 *
 *   shut down? not ready? 503 ─▶ no route? 404 ─▶ too large? 413 ─▶ before… ─▶ handler ─▶ after…
 *
 * A function before may answer itself, or send the request to another place; functions after see every answer of a handler
 * or of a function before.
 */
import type { Task } from "../../../interp/index.ts";
import {
  type Callable,
  Dict,
  forEachThen,
  invoke1,
  invoke2,
  type MaybePromise,
  proceed,
  truthy,
  type Value,
} from "../../../values/index.ts";
import { type Argument, textOf } from "../../arguments.ts";
import { httpResponseOf, isResponse, textResponse } from "../http-messages.ts";
import { requestDict, requestOfDict, type ServerRequest } from "../http-request-dict.ts";
import { foldedPath } from "./http-paths.ts";
import { closer, matchPath } from "./http-routes.ts";
import type { HandlerRoute, HttpServer } from "./http-server-state.ts";

export function isReady(task: Task, server: HttpServer): MaybePromise<boolean> {
  if (!server.ready || server.down) return false;
  if (server.readiness === undefined) return true;
  return proceed(invoke1(task, server.readiness, server.handle), (answer) => truthy(answer));
}

interface RouteMatch {
  readonly route: HandlerRoute;
  readonly params: Dict;
}

/** Where a route is only for GET, it answers HEAD too; who sends the answer leaves its body out. */
function find(server: HttpServer, method: string, path: string): RouteMatch | undefined {
  const found = closest(server, method, path);
  return found === undefined && method === "HEAD" ? closest(server, "GET", path) : found;
}

function closest(server: HttpServer, method: string, path: string): RouteMatch | undefined {
  let best: RouteMatch | undefined;
  for (const route of server.routes) {
    if (route.method !== "*" && route.method !== method) continue;
    const params = matchPath(route.pattern, path);
    if (params === undefined) continue;
    if (best === undefined || closer(route.pattern, best.route.pattern) < 0)
      best = { route, params: Dict.from(params) };
  }
  return best;
}

/** How big a request's body may be, by its route. */
export function bodyLimit(server: HttpServer, method: string, path: string): number {
  return (find(server, method.toUpperCase(), foldedPath(path) ?? path)?.route.rules ?? server.rules)
    .maxBodyBytes;
}

/**
 * Answers one request. What a handler throws goes to the caller. `excess` is the size of a body that was too big to be
 * read at all.
 */
export function handleRequest(
  task: Task,
  server: HttpServer,
  value: Argument,
  excess?: number | undefined,
): MaybePromise<Dict> {
  if (server.down) return textResponse(503, "server is shut down");
  return proceed(isReady(task, server), (ready): MaybePromise<Dict> => {
    if (!ready) return textResponse(503, "server is not ready");
    const request = requestOfDict(value);
    if (request === undefined) return textResponse(400, "the path leads out of the server");
    const found = find(server, request.method, request.path);
    if (found === undefined) return noRoute(request.method, request.path);
    const { rules } = found.route;
    const size = excess ?? request.body.length;
    if (size > rules.maxBodyBytes) return bodyTooLarge(size, rules.maxBodyBytes);
    return insideRequest(task, server, request, requestDict(request, found.params, rules.retainRawBody));
  });
}

const noRoute = (method: string, path: string): Dict => textResponse(404, `no route for ${method} ${path}`);

function bodyTooLarge(size: number, limit: number): Dict {
  const answer = textResponse(413, `request body too large: ${size} > ${limit} bytes`);
  const headers = answer.get("headers") as Dict;
  return answer.with("headers", headers.with("x-harn-body-limit", String(limit)).with("connection", "close"));
}

function insideRequest(
  task: Task,
  server: HttpServer,
  original: ServerRequest,
  first: Dict,
): MaybePromise<Dict> {
  let seen = first;
  let stopped: Dict | undefined;
  const { before } = server;
  const befores = forEachThen(before.length, (at) =>
    proceed(invoke1(task, before[at] as Callable, seen), (result) => {
      if (result instanceof Dict && !isResponse(result)) seen = result;
      else if (result !== null) stopped = httpResponseOf(result);
      return stopped !== undefined;
    }),
  );
  return proceed(
    proceed(befores, () => stopped ?? routeRequest(task, server, original, seen)),
    (answer) => afterwards(task, server, answer, seen),
  );
}

/** What ran before may have changed where the request goes. */
function routeRequest(
  task: Task,
  server: HttpServer,
  original: ServerRequest,
  seen: Dict,
): MaybePromise<Dict> {
  const method = textOf(seen.get("method"), original.method).toUpperCase();
  const path = textOf(seen.get("path"), original.path);
  const found = find(server, method, path);
  if (found === undefined) return noRoute(method, path);
  const request = seen.merge(Dict.of({ path_params: found.params, params: found.params }));
  return proceed(invoke1(task, found.route.handler, request), httpResponseOf);
}

function afterwards(task: Task, server: HttpServer, answer: Dict, seen: Dict): MaybePromise<Dict> {
  let current = answer;
  const { after } = server;
  const afters = forEachThen(after.length, (at) =>
    proceed(invoke2(task, after[at] as Callable, current, seen), (result: Value) => {
      if (result !== null) current = httpResponseOf(result);
      return undefined;
    }),
  );
  return proceed(afters, () => current);
}
