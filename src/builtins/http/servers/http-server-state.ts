/** HTTP servers of a run: their routes, what runs before and after handlers, how they end. http-dispatch.ts answers. */
import { stateKey, type Task } from "../../../interp/index.ts";
import {
  type Callable,
  Dict,
  forEachThen,
  invoke1,
  type MaybePromise,
  proceed,
  thrown,
} from "../../../values/index.ts";
import { type Argument, option, optionsOf, textOf } from "../../arguments.ts";
import { serverFields } from "../../rows/http.ts";
import type { RoutePattern } from "./http-routes.ts";

export interface BodyRules {
  readonly maxBodyBytes: number;
  readonly retainRawBody: boolean;
}

export interface HandlerRoute {
  /** `*`: any. */
  readonly method: string;
  readonly pattern: RoutePattern;
  readonly handler: Callable;
  readonly rules: BodyRules;
}

export interface HttpServer {
  readonly id: string;
  /** What scripts hold, and what readiness and shutdown functions are given. */
  readonly handle: Dict;
  readonly rules: BodyRules;
  readonly routes: HandlerRoute[];
  readonly before: Callable[];
  readonly after: Callable[];
  readonly onShutdown: Callable[];
  readiness: Callable | undefined;
  ready: boolean;
  down: boolean;
  /** Set while it listens: stops that. */
  stopListening: (() => void) | undefined;
}

const servers = stateKey<{ made: number; readonly all: Map<string, HttpServer> }>("http servers", () => ({
  made: 0,
  all: new Map(),
}));

export function makeServer(task: Task, options: Argument): HttpServer {
  const { ready, ...rules } = optionsOf("http_server", options, serverFields);
  const state = task.runtime.state(servers);
  const id = `http_server_${++state.made}`;
  const server: HttpServer = {
    id,
    handle: Dict.of({ id, kind: "http_server" }),
    rules,
    routes: [],
    before: [],
    after: [],
    onShutdown: [],
    readiness: undefined,
    ready,
    down: false,
    stopListening: undefined,
  };
  state.all.set(server.id, server);
  return server;
}

/** The server behind a handle, or its id. */
export function serverOf(task: Task, caller: string, handle: Argument): HttpServer {
  const id = textOf(option(handle, "id") ?? handle);
  const server = task.runtime.state(servers).all.get(id);
  if (server !== undefined) return server;
  throw thrown(`${caller}: unknown HTTP server '${id}'`);
}

/** The same method and pattern replace. */
export function addRoute(server: HttpServer, route: HandlerRoute): void {
  const same = server.routes.findIndex(
    ({ method, pattern }) => method === route.method && pattern.text === route.pattern.text,
  );
  if (same < 0) server.routes.push(route);
  else server.routes[same] = route;
}

/** Runs the shutdown functions, once and in order; all of them, even when one throws. */
export function shutDown(task: Task, server: HttpServer): MaybePromise<void> {
  if (server.down) return undefined;
  server.down = true;
  server.stopListening?.();
  let first: { readonly error: unknown } | undefined;
  const note = (error: unknown): undefined => {
    first ??= { error };
  };
  const all = forEachThen(server.onShutdown.length, (at): MaybePromise<undefined> => {
    try {
      const result = invoke1(task, server.onShutdown[at] as Callable, server.handle);
      return result instanceof Promise ? result.then(() => undefined, note) : undefined;
    } catch (error) {
      note(error);
    }
  });
  return proceed(all, () => {
    if (first !== undefined) throw first.error;
  });
}
