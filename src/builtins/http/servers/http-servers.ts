/** HTTP servers of a program (builtins.md §2.15): routes and handlers, asked without a network or listening. */

import type { Task } from "../../../interp/index.ts";
import { defineBuiltins } from "../../../table/index.ts";
import {
  type Callable,
  type MaybePromise,
  proceed,
  thrown,
  truthy,
  type Value,
} from "../../../values/index.ts";
import { type Argument, needCallback, optionsOf, textOf } from "../../arguments.ts";
import { listenFields, routeFields, serveFields, serverFields } from "../../rows/http.ts";
import { handleRequest as handle, isReady } from "./http-dispatch.ts";
import { serve, startListening } from "./http-listening.ts";
import { parseRoutePattern } from "./http-routes.ts";
import { addRoute, type HttpServer, makeServer, serverOf, shutDown } from "./http-server-state.ts";

function addRouteTo(
  task: Task,
  handle: Argument,
  method: Argument,
  path: Argument,
  handler: Argument,
  options: Argument,
): Value {
  const server = serverOf(task, "http_server_route", handle);
  const verb = textOf(method).toUpperCase();
  if (!/^(\*|[!#$%&'*+\-.^_`|~0-9A-Z]+)$/.test(verb))
    throw thrown(`http_server_route: '${textOf(method)}' is no method`);
  const pattern = parseRoutePattern(textOf(path));
  if (typeof pattern === "string") throw thrown(`http_server_route: ${pattern}`);
  const read = optionsOf("http_server_route", options, routeFields);
  addRoute(server, {
    method: verb,
    pattern,
    handler: needCallback("http_server_route", handler),
    rules: {
      maxBodyBytes: read.maxBodyBytes ?? server.rules.maxBodyBytes,
      retainRawBody: read.retainRawBody ?? server.rules.retainRawBody,
    },
  });
  return server.handle;
}

/** A builtin that hangs a function on a server. */
function serverHook(name: string, doc: string, sig: string, hang: (server: HttpServer, f: Callable) => void) {
  return {
    doc,
    sig,
    effect: "state" as const,
    run: (task: Task, handle: Argument, f: Argument): Value => {
      const server = serverOf(task, name, handle);
      hang(server, needCallback(name, f));
      return server.handle;
    },
  };
}

function askingBuiltin(name: string, doc: string) {
  return {
    doc,
    sig: "(server: dict, request: dict) -> dict",
    effect: "state" as const,
    suspends: "may" as const,
    run: (task: Task, server: Argument, request: Argument): MaybePromise<Value> =>
      handle(task, serverOf(task, name, server), request),
  };
}

export const httpServers = defineBuiltins(
  "http_servers",
  {
    http_server: {
      doc:
        "Makes a server: `{id, kind}`. Options: `max_body_bytes` (10 MiB), `retain_raw_body` (requests keep `raw_body`), " +
        "`ready` (true).",
      sig: "(options?: dict) -> dict",
      effect: "state",
      example: "http_server()  // {id: http_server_1, kind: http_server}",
      fields: { options: () => serverFields },
      run: (task, options: Argument) => makeServer(task, options).handle,
    },
    http_server_route: {
      doc:
        "Adds a route: `/p/{x}` or `/p/:x` with parameters, `*` as the last segment for the rest, method `*` for any. The " +
        "handler gets `{method, path, path_params, params, query, headers, body, raw_body, body_bytes, remote_addr, client_ip}` " +
        "and returns an answer (`http_response…`), a text, bytes, nil (204), or a value to be sent as JSON. Options: " +
        "`max_body_bytes`, `retain_raw_body`.",
      sig: "(server: dict, method: string, path: string, handler: fn(dict) -> any, options?: dict) -> dict",
      effect: "state",
      fields: { options: () => routeFields },
      run: (task, server: Argument, method: Argument, path: Argument, handler: Argument, options: Argument) =>
        addRouteTo(task, server, method, path, handler, options),
    },
    http_server_before: serverHook(
      "http_server_before",
      "Runs before handlers, in order: `f(request)` returns a request to go on with, or an answer to stop; nil changes nothing.",
      "(server: dict, f: fn(dict) -> any) -> dict",
      (server, f) => server.before.push(f),
    ),
    http_server_after: serverHook(
      "http_server_after",
      "Runs after handlers, in order: `f(answer, request)` returns the answer to send; nil changes nothing.",
      "(server: dict, f: fn(dict, dict) -> any) -> dict",
      (server, f) => server.after.push(f),
    ),
    http_server_request: askingBuiltin(
      "http_server_request",
      "Asks a server: `{method, path, query, headers, body | raw_body, remote_addr, client_ip}`; a dict or list as body is JSON.",
    ),
    http_server_test: askingBuiltin(
      "http_server_test",
      "The same as `http_server_request`, by the name that tests use.",
    ),
    http_server_listen: {
      doc:
        "Lets clients reach the server: `{id, addr, url}`. The address is `HOST:PORT` (port 0: any; without a host only this " +
        "machine); `tls` takes a descriptor of `http_server_tls_…`. `http_server_serve` answers.",
      sig: '(server: dict, bind: string | int = "127.0.0.1:0", options?: dict) -> dict',
      effect: "write",
      performs: true,
      suspends: "may",
      capability: "net",
      fields: { options: () => listenFields },
      run: (task, server: Argument, bind: Argument, options: Argument) =>
        startListening(task, serverOf(task, "http_server_listen", server), bind, options),
    },
    http_server_serve: {
      doc:
        "Answers the requests of a server that listens, each in a task of its own, until it is shut down; gives their number. " +
        "An error of a handler is answered 500 and told on standard error. Options: `max_requests`, `max_concurrent` (64).",
      sig: "(server: dict, options?: dict) -> int",
      effect: "read",
      performs: true,
      suspends: "may",
      capability: "net",
      fields: { options: () => serveFields },
      run: (task, server: Argument, options: Argument) =>
        serve(task, serverOf(task, "http_server_serve", server), options),
    },
    http_server_set_ready: {
      doc: "Says whether the server takes requests; a server that is not ready answers 503.",
      sig: "(server: dict, ready: bool) -> bool",
      effect: "state",
      run: (task, handle: Argument, ready: Argument) => {
        const server = serverOf(task, "http_server_set_ready", handle);
        server.ready = truthy(ready ?? null);
        return server.ready;
      },
    },
    http_server_readiness: serverHook(
      "http_server_readiness",
      "Sets a function of the server's handle that says whether a server that is set ready really is.",
      "(server: dict, f: fn(dict) -> bool) -> dict",
      (server, f) => {
        server.readiness = f;
      },
    ),
    http_server_ready: {
      doc: "Whether the server takes requests now.",
      sig: "(server: dict) -> bool",
      effect: "state",
      suspends: "may",
      run: (task, handle: Argument) => isReady(task, serverOf(task, "http_server_ready", handle)),
    },
    http_server_on_shutdown: serverHook(
      "http_server_on_shutdown",
      "Runs a function with the server's handle when the server is shut down.",
      "(server: dict, f: fn(dict) -> any) -> dict",
      (server, f) => server.onShutdown.push(f),
    ),
    http_server_shutdown: {
      doc: "Shuts the server down: every request is answered 503 from now on, and the shutdown functions run once.",
      sig: "(server: dict) -> bool",
      effect: "state",
      suspends: "may",
      run: (task, handle: Argument) =>
        proceed(shutDown(task, serverOf(task, "http_server_shutdown", handle)), () => true),
    },
  },
  { server: "a server, as `http_server` gives it", request: "a request" },
);
