/** Rows of HTTP clients and servers (builtins.md §2.15). */
import { type Field, field, fieldTable } from "../../table/index.ts";

const ms = "int | float | duration";

const retryFields = fieldTable(() => [
  field("max", "int", "Further attempts after the first.", { default: "0", range: [0, null] }),
  field("backoff_ms", "int | duration", "Rest before the first of them; doubles with each.", {
    default: "1000",
  }),
]);

const authFields = fieldTable(() => [
  field("bearer", "string", "A token for `Authorization: Bearer`."),
  field("basic", "dict", "User and password for `Authorization: Basic`.", {
    nested: fieldTable(() => [
      field("user", "string", "The user."),
      field("username", "string", "Another name for `user`."),
      field("password", "string", "The password."),
    ]),
  }),
]);

const proxyFields = fieldTable(() => [
  field("url", "string", "The proxy: `http://proxy:8080`."),
  field("no_proxy", "string | list<string>", "Hosts that are asked directly."),
]);

const proxyAuthFields = fieldTable(() => [
  field("user", "string", "The user."),
  field("pass", "string", "The password."),
  field("password", "string", "Another name for `pass`."),
]);

/** PEM texts or paths of files that hold them. */
const tlsFields = fieldTable(() => [
  ...["ca", "ca_pem", "ca_path", "ca_bundle_path"].map((name) =>
    field(name, "string | bytes", "Authorities that are trusted: PEM text, or a file."),
  ),
  ...["cert", "cert_pem", "cert_path", "client_cert_path"].map((name) =>
    field(name, "string | bytes", "The client's certificate: PEM text, or a file."),
  ),
  ...["key", "key_pem", "key_path", "client_key_path"].map((name) =>
    field(name, "string | bytes", "Its key: PEM text, or a file."),
  ),
  field("server_name", "string", "The name that the server's certificate must have."),
  field("min_version", "string", "The oldest TLS that is spoken: `1.2`."),
  field("verify", "bool", "Check the server's certificate.", { default: "true", bounds: true }),
  field("insecure", "bool", "Do not check it.", { default: "false" }),
]);

/** One part of a form. */
export const partFields = fieldTable(
  () => [
    field("name", "string", "The field's name."),
    field("content", "any", "Its content, text or bytes.", {
      why: "text, bytes, or any value as it is shown",
    }),
    field("value", "any", "Another name for `content`.", { why: "text, bytes, or any value as it is shown" }),
    field("value_base64", "string", "Its content as base64."),
    field("path", "string", "A file that holds its content."),
    field("filename", "string", "The name of the file that it stands for."),
    field("content_type", "string", "What its content is."),
    field("headers", "dict", "Further headers of the part."),
  ],
  { form: "list" },
);

const requestRows = (): readonly Field[] => [
  field("headers", "dict", "Headers of the request."),
  field("query", "dict", "Parameters after the `?`; a list gives one for each value."),
  field("auth", "string | dict", "Who asks: the header's value itself, or a dict.", { nested: authFields }),
  field("body", "any", "What is sent: text, bytes, or any value as it is shown.", {
    why: "text, bytes, or any value as it is shown",
  }),
  field("multipart", "list", "Parts of a form, in place of `body`.", { nested: partFields }),
  field("session", "string | dict", "The session whose options and cookies are used."),
  field("timeout_ms", ms, "Milliseconds that one attempt may take.", { default: "30000", bounds: true }),
  field("timeout", ms, "Another name for `timeout_ms`.", { bounds: true }),
  field("total_timeout_ms", ms, "Milliseconds for all attempts together.", { bounds: true }),
  field("connect_timeout_ms", ms, "Milliseconds until the connection stands.", { bounds: true }),
  field("read_timeout_ms", ms, "Milliseconds without a byte.", { bounds: true }),
  field("follow_redirects", "bool", "Go where the server sends.", { default: "true", bounds: true }),
  field("max_redirects", "int", "So often at most.", { default: "10", bounds: true }),
  field(
    "private_addresses",
    "string",
    "`deny`: hosts that lead to this machine or its network are refused, judged by their resolved addresses at each connection.",
    { values: ["allow", "deny"], default: '"allow"', bounds: true },
  ),
  field("max_response_bytes", "int", "Bytes that are taken.", { range: [0, null], bounds: true }),
  field("decompress", "bool", "Unpack what comes packed.", { default: "true" }),
  field("retry", "int | dict", "How often it is tried again.", { nested: retryFields }),
  field("retries", "int", "Further attempts after the first.", { default: "0" }),
  field("backoff", "int | duration", "Rest before the first of them; doubles with each.", {
    default: "1000",
  }),
  field("backoff_ms", "int | duration", "Another name for `backoff`."),
  field("retry_on", "list<int>", "Statuses that are tried again.", {
    default: "[408, 429, 500, 502, 503, 504]",
  }),
  field("retry_methods", "list<string>", "Methods that may be sent again.", {
    default: '["GET", "HEAD", "PUT", "DELETE", "OPTIONS"]',
  }),
  field("respect_retry_after", "bool", "Wait as long as the server says.", { default: "true" }),
  field("proxy", "string | dict", "The proxy that is asked.", { nested: proxyFields, bounds: true }),
  field("proxy_auth", "dict", "Who asks the proxy.", { nested: proxyAuthFields }),
  field("tls", "dict", "Certificates and versions.", { nested: tlsFields }),
];

export const requestFields = fieldTable(requestRows);

export const streamRequestFields = fieldTable(() => [
  field("method", "string", "The method.", { default: '"GET"' }),
  ...requestRows(),
]);

const mockResponse = (): readonly Field[] => [
  field("status", "int", "The status.", { default: "200" }),
  field("headers", "dict", "Headers of the answer."),
  field("body", "any", "Its body: text, bytes, or any value as it is shown.", {
    why: "text, bytes, or any value as it is shown",
  }),
];

export const mockResponseFields = fieldTable(() => [
  ...mockResponse(),
  field("responses", "list", "Answers in order; the last one stays.", { nested: fieldTable(mockResponse) }),
]);

export const mockCallsFields = fieldTable(() => [
  field("redact_sensitive", "bool", "Hide what looks like a credential.", { default: "true" }),
  field("include_sensitive", "bool", "The opposite of `redact_sensitive`."),
]);

export const egressFields = fieldTable(
  () => [
    field(
      "allow",
      "string | list",
      "Hosts that may be asked: names, `*.suffix`, addresses, networks, each with an optional port.",
    ),
    field("deny", "string | list", "Hosts that may not."),
    field("default", "string", "What holds for all others: `allow`, or `deny` (where `allow` is given)."),
    field("configured", "any", "As `egress_policy()` tells it; has no effect.", {
      why: "told back, without effect",
    }),
    field("source", "any", "As `egress_policy()` tells it; has no effect.", {
      why: "told back, without effect",
    }),
  ],
  { strict: true },
);

export const formFields = fieldTable(() => [
  field("boundary", "any", "What stands between the parts; made up unless given.", {
    why: "shown as its text",
  }),
]);

export const formLimitFields = fieldTable(
  () => [
    field("max_total_bytes", "int", "Bytes of the whole body.", { range: [0, null] }),
    field("max_field_bytes", "int", "Bytes of one field.", { range: [0, null] }),
    field("max_fields", "int", "Fields.", { range: [0, null] }),
  ],
  { strict: true },
);

export const cookieFields = fieldTable(() => [
  field("path", "string", "Where the cookie is sent."),
  field("domain", "string", "Hosts that it is sent to."),
  field("max_age", "int | duration", "Seconds that it lives."),
  field("expires", "any", "When it ends: seconds, a date, or its text.", {
    why: "seconds, a date, or its text",
  }),
  field("http_only", "bool", "Scripts of the page do not see it."),
  field("secure", "bool", "It is sent over TLS only."),
  field("same_site", "string", "`Strict`, `Lax` or `None`."),
]);

export const responseFields = fieldTable(() => [
  field("status", "int", "The status.", { default: "200" }),
  field("headers", "dict", "Headers of the response."),
]);

const bodyRows = (): readonly Field[] => [
  field("max_body_bytes", "int", "Bytes of a request's body.", {
    default: "10485760",
    range: [0, null],
    bounds: true,
  }),
  field("retain_raw_body", "bool", "Requests keep their body's bytes in `raw_body`.", { default: "false" }),
];

export const routeFields = fieldTable(bodyRows);

export const serverFields = fieldTable(() => [
  ...bodyRows(),
  field("ready", "bool", "It says that it is ready from the beginning.", { default: "true" }),
]);

const descriptorRows = (): readonly Field[] => [
  field("hsts_max_age_seconds", "int", "Seconds for which browsers are told to stay with TLS.", {
    default: "31536000",
  }),
  field("hsts_include_subdomains", "bool", "And for hosts below.", { default: "false" }),
];

export const tlsEdgeFields = fieldTable(descriptorRows);

export const listenFields = fieldTable(() => [
  field("tls", "dict", "What `http_server_tls_pem` and its kin give."),
]);

export const serveFields = fieldTable(() => [
  field("max_requests", "int", "It ends after so many.", { range: [0, null], bounds: true }),
  field("max_concurrent", "int", "Requests that run at once.", { range: [1, null], bounds: true }),
]);

const messageLimit = (): Field =>
  field("max_message_bytes", "int", "Bytes of one message.", {
    default: "1048576",
    range: [1, null],
    bounds: true,
  });

export const sseConnectFields = fieldTable(() => [messageLimit(), ...requestRows()]);

export const sseEventFields = fieldTable(() => [
  field("event", "any", "What kind of event it is.", { why: "shown as its text" }),
  field("data", "any", "Its data.", { why: "a text, or any value as JSON" }),
  field("id", "any", "Where a client goes on after a break.", { why: "shown as its text" }),
  field("retry", "int", "Milliseconds after which a client tries again."),
  field("retry_ms", "int", "Another name for `retry`."),
]);

export const sseResponseFields = fieldTable(() => [
  field("status", "int", "The status.", { default: "200" }),
  field("headers", "dict", "Headers of the response."),
  field("max_event_bytes", "int", "Bytes of one event.", { range: [1, null], bounds: true }),
  field("max_buffered_events", "int", "Events that wait for a slow client.", {
    range: [1, null],
    bounds: true,
  }),
]);

const socketRows = (): readonly Field[] => [
  messageLimit(),
  field("send_buffer_messages", "int", "Messages that wait for a slow reader.", {
    default: "1000",
    bounds: true,
  }),
  field("idle_timeout_ms", "int", "Milliseconds without a message after which the connection ends.", {
    bounds: true,
  }),
];

export const socketConnectFields = fieldTable(() => [
  ...socketRows(),
  field("protocols", "list", "Protocols that are offered to the server."),
  ...requestRows(),
]);

export const socketRouteFields = fieldTable(() => [
  ...socketRows(),
  field("auth", "string | dict", "`{bearer: TOKEN}`: who connects must have the token.", { bounds: true }),
]);

export const socketServerFields = listenFields;

export const socketMockFields = fieldTable(
  () => [
    field("messages", "list", "What the other side says, in order."),
    field("echo", "bool", "It says again what it hears.", { default: "false" }),
  ],
  { form: "dict" },
);

export const socketMessageFields = fieldTable(() => [
  field(
    "type",
    "string",
    "`text`, `binary`, `ping`, `pong` or `close`; bytes are `binary` unless it says otherwise.",
  ),
  field("code", "int", "With `close`: why.", { default: "1000" }),
  field("reason", "string", "With `close`: why, in words."),
]);
