/** The HTTP verbs, sessions, downloads and mocks, and where a program may send requests (builtins.md §2.15); http-send.ts does the sending. */

import { policyScopes } from "../../agent/index.ts";
import { egressPolicy, enterEgressScope } from "../../host/index.ts";
import type { Task } from "../../interp/index.ts";
import { defineBuiltins, keysOf } from "../../table/index.ts";
import { always, Bytes, Dict, type MaybePromise, proceed, thrown, type Value } from "../../values/index.ts";
import { type Argument, hostPath, needCallback, textOf } from "../arguments.ts";
import { egressFields, mockCallsFields, mockResponseFields, requestFields } from "../rows/http.ts";
import { sendForFile } from "./http-download.ts";
import { addHttpMock, clearHttpMocks, httpMockCalls, isMocked } from "./http-mocks.ts";
import { defaultMaxDownload, httpOptions, outgoing } from "./http-options.ts";
import {
  answerKeys,
  answerOtherKeys,
  isOk,
  responseDict,
  sendForText,
  sendWithRetries,
} from "./http-send.ts";
import { closeSession, httpSessionOf, openSession } from "./http-sessions.ts";

function request(
  task: Task,
  name: string,
  method: string,
  url: Argument,
  options: Argument,
): MaybePromise<Value> {
  const text = textOf(url);
  if (text === "") throw thrown(`${name}: URL is required`);
  const isMock = (whole: string): boolean => isMocked(task, method, whole);
  const read = httpOptions(task, name, options, requestFields);
  const asked = { method, url: text, options: read, isMocked: isMock };
  const sent = outgoing(task, { surface: "http_request", ...asked });
  return proceed(sendWithRetries(task, sent, sendForText), responseDict);
}

/** The body, unless it is a dict: any dict in its place is the options. */
function bodyOptions(body: Argument, options: Argument): Argument {
  if (body instanceof Dict && !(options instanceof Dict)) return body;
  const base = options instanceof Dict ? options : new Dict();
  if (body === undefined || body === null) return base;
  if (body instanceof Dict) return body.merge(base);
  return base.with("body", body instanceof Bytes ? body : textOf(body));
}

const shared = { capability: "net", performs: true, suspends: "may" } as const;
const answerNote = "Gives `{status, headers, body, ok, final_url}`; no status is an error.";

function withoutBody(name: string, method: string, effect: "read" | "write", doc: string) {
  return {
    ...shared,
    doc: `${doc} ${answerNote}`,
    sig: "(url: string, options?: dict) -> dict",
    effect,
    fields: { options: () => requestFields },
    resultKeys: () => answerKeys,
    otherKeys: () => answerOtherKeys,
    run: (task: Task, url: Argument, options: Argument) => request(task, name, method, url, options),
  };
}

function withBody(name: string, method: string, doc: string) {
  return {
    ...shared,
    doc: `${doc} A dict in the body's place is taken as the options. ${answerNote}`,
    sig: "(url: string, body?: any, options?: dict) -> dict",
    effect: "write" as const,
    traits: ["unvalidated"] as const,
    fields: { body: () => requestFields, options: () => requestFields },
    resultKeys: () => answerKeys,
    otherKeys: () => answerOtherKeys,
    run: (task: Task, url: Argument, body: Argument, options: Argument) =>
      request(task, name, method, url, bodyOptions(body, options)),
  };
}

export const http = defineBuiltins("http", {
  http_get: withoutBody(
    "http_get",
    "GET",
    "read",
    "Asks for a URL. Options: `headers`, `query`, `auth`, `timeout_ms` (30000), `total_timeout_ms`, `connect_timeout_ms`, " +
      "`read_timeout_ms`, `retry: {max, backoff_ms}`, `retry_on`, `retry_methods`, `respect_retry_after`, `follow_redirects`, " +
      "`max_redirects` (10), `proxy`, `proxy_auth`, `tls`, `decompress`, `max_response_bytes` (1 MiB).",
  ),
  http_delete: withoutBody(
    "http_delete",
    "DELETE",
    "write",
    "Deletes a resource. Options as for `http_get`.",
  ),
  http_post: withBody(
    "http_post",
    "POST",
    "Posts a body. Options as for `http_get`, and `body` or `multipart`.",
  ),
  http_put: withBody("http_put", "PUT", "Puts a body. Options as for `http_post`."),
  http_patch: withBody("http_patch", "PATCH", "Patches with a body. Options as for `http_post`."),
  http_request: {
    ...shared,
    doc: `A request of any method; the body is in the options. ${answerNote}`,
    sig: "(method: string, url: string, options?: dict) -> dict",
    effect: "write",
    traits: ["unvalidated"],
    fields: { options: () => requestFields },
    resultKeys: () => answerKeys,
    otherKeys: () => answerOtherKeys,
    run: (task, method: Argument, url: Argument, options: Argument) => {
      if (textOf(method) === "") throw thrown("http_request: method is required");
      return request(task, "http_request", textOf(method).toUpperCase(), url, options);
    },
  },
  http_download: {
    ...shared,
    doc: "Downloads a URL to a file, up to `max_response_bytes` (1 GiB): `{bytes_written, status, headers, ok}`.",
    sig: "(url: string, destination: string, options?: dict) -> dict",
    effect: "write",
    capability: "net fs.write",
    fields: { options: () => requestFields },
    resultKeys: () => keysOf("bytes_written", "status", "headers", "ok"),
    run: (task, url: Argument, destination: Argument, options: Argument) => {
      if (textOf(url) === "") throw thrown("http_download: URL is required");
      if (textOf(destination) === "") throw thrown("http_download: destination path is required");
      const read = httpOptions(task, "http_download", options, requestFields);
      const value = outgoing(task, {
        surface: "http_download",
        method: "GET",
        url: textOf(url),
        options: { ...read, maxResponseBytes: read.maxResponseBytes ?? defaultMaxDownload },
        isMocked: () => false,
      });
      let size = 0;
      const send = sendForFile(hostPath(task, destination), (bytes) => {
        size = bytes;
      });
      return proceed(sendWithRetries(task, value, send), (answer) =>
        Dict.of({
          bytes_written: size,
          status: answer.status,
          headers: Dict.from(answer.headers),
          ok: isOk(answer),
        }),
      );
    },
  },
  http_session: {
    doc:
      "Opens a session and gives its handle: requests of it share cookies and these options; headers and query are joined " +
      "with those of the request.",
    sig: "(options?: dict) -> string",
    effect: "state",
    example: "http_session({timeout_ms: 500})  // http_session_1",
    fields: { options: () => requestFields },
    run: (task, options: Argument) => openSession(task, options),
  },
  http_session_request: {
    ...shared,
    doc: `A request within a session, as \`http_request\`. ${answerNote}`,
    sig: "(session: string, method: string, url: string, options?: dict) -> dict",
    effect: "write",
    fields: { options: () => requestFields },
    resultKeys: () => answerKeys,
    otherKeys: () => answerOtherKeys,
    run: (task, session: Argument, method: Argument, url: Argument, options: Argument) => {
      httpSessionOf(task, session);
      if (textOf(method) === "") throw thrown("http_session_request: method is required");
      const own = options instanceof Dict ? options : new Dict();
      const verb = textOf(method).toUpperCase();
      return request(task, "http_session_request", verb, url, own.with("session", textOf(session)));
    },
  },
  http_session_close: {
    doc: "Closes a session and forgets its cookies; false when it was not open.",
    sig: "(session: string) -> bool",
    effect: "state",
    example: 'http_session_close("none")  // false',
    run: (task, session: Argument) => closeSession(task, session),
  },
  http_mock: {
    doc:
      "Answers requests of a method (`*`: any) whose URL fits a pattern with `*`: `{status, body, headers}` or " +
      "`{responses: […]}`, played in order. The same method and pattern replace; else the first registered wins.",
    sig: "(method: string, url_pattern: string, response?: dict) -> nil",
    effect: "state",
    example: 'http_mock("GET", "https://a.test/*", {body: "hi"})  // nil',
    fields: { response: () => mockResponseFields },
    run: (task, method: Argument, pattern: Argument, response: Argument) => {
      addHttpMock(task, textOf(method), textOf(pattern), response);
      return null;
    },
  },
  http_mock_calls: {
    doc:
      "The mocked calls so far, one per attempt: `{method, url, headers, body}`. Credentials are `[redacted]` unless " +
      "`{redact_sensitive: false}` is given.",
    sig: "(options?: dict) -> list<dict>",
    effect: "state",
    example: "http_mock_calls()  // []",
    fields: { options: () => mockCallsFields },
    run: (task, options: Argument) => httpMockCalls(task, options),
  },
  http_mock_clear: {
    doc: "Forgets all HTTP mocks and the calls noted.",
    sig: "() -> nil",
    effect: "state",
    example: "http_mock_clear()  // nil",
    run: (task) => {
      clearHttpMocks(task);
      return null;
    },
  },
});

export const egress = defineBuiltins("egress", {
  egress_policy: {
    doc:
      "Says which hosts the program may talk to: `{allow, deny, default}`, rules being hosts, `*.suffix`, IP addresses and " +
      "networks, each with an optional `:port`. Deny beats allow; holds for mocked calls too. What the environment " +
      "(`HARN_EGRESS_ALLOW`, `HARN_EGRESS_DENY`, `HARN_EGRESS_DEFAULT`) refuses stays refused. Without an argument it tells what holds.",
    sig: "(policy?: dict) -> dict",
    effect: "state",
    performs: true,
    example: 'egress_policy({allow: ["*.a.test"]}).default  // deny',
    fields: { policy: () => egressFields },
    run: (task, policy: Argument) =>
      egressPolicy(task, policy, task.runtime.state(policyScopes).around(task).length > 0),
  },
  with_net_policy: {
    doc:
      "Runs a body under a policy of its own, as `egress_policy` takes it: what the body and its tasks send must agree with " +
      "it and with all that holds already. Also `harness.net.with_net_policy`.",
    sig: "(policy: dict, body: fn() -> any) -> any",
    effect: "state",
    performs: true,
    suspends: "callback",
    example: 'with_net_policy({allow: ["a.test"]}, { -> 1 })  // 1',
    fields: { policy: () => egressFields },
    run: (task, policy: Argument, body: Argument) => {
      const callback = needCallback("with_net_policy", body);
      const leave = enterEgressScope(task, policy ?? null);
      return always(() => callback.call(task, []), leave);
    },
  },
});
