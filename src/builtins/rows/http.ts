/** Rows of HTTP clients and servers (builtins.md §2.15). */

import { row, rows } from "../../table/index.ts";
import type { List, Value } from "../../values/index.ts";

const retryFields = rows(() => ({
  max: row.int("Further attempts after the first.", null, { min: 0 }).usually("0"),
  backoff_ms: row.duration("Rest before the first of them; doubles with each.").usually("1000"),
}));

const authFields = rows(() => ({
  bearer: row.text("A token for `Authorization: Bearer`.").secret(),
  basic: row
    .dict(
      rows(() => ({
        user: row.text("The user.", "").alias("username"),
        password: row.text("The password.", "").secret(),
      })),
      "User and password for `Authorization: Basic`.",
    )
    .secret(),
}));

const proxyFields = rows(() => ({
  url: row.text("The proxy: `http://proxy:8080`.").required(),
  no_proxy: row.texts("Hosts that are asked directly."),
}));

const proxyAuthFields = rows(() => ({
  user: row.text("The user.", ""),
  pass: row.text("The password.", "").alias("password").secret(),
}));

const pem = (doc: string, ...others: readonly string[]) =>
  row.handle<Value>("string | bytes", `${doc}: PEM text, or a file.`).alias(...others);

/** PEM texts or paths of files that hold them. */
const tlsFields = rows(() => ({
  ca: pem("Authorities that are trusted", "ca_pem", "ca_path", "ca_bundle_path"),
  cert: pem("The client's certificate", "cert_pem", "cert_path", "client_cert_path"),
  key: pem("Its key", "key_pem", "key_path", "client_key_path"),
  server_name: row.text("The name that the server's certificate must have."),
  min_version: row
    .text("The oldest TLS that is spoken: `1.2`.")
    .to((version) => (version.startsWith("TLS") ? version : `TLSv${version}`)),
  verify: row.bool("Check the server's certificate.", true).bounds(),
  insecure: row.bool("Do not check it.", false),
}));

/** One part of a form. */
export const partFields = rows(
  () => ({
    name: row.filled("The field's name.").required(),
    content: row.value("Its content, text or bytes.", "text, bytes, or any value as it is shown"),
    value: row.value("Another name for `content`.", "text, bytes, or any value as it is shown"),
    value_base64: row.text("Its content as base64."),
    path: row.text("A file that holds its content."),
    filename: row.text("The name of the file that it stands for."),
    content_type: row.text("What its content is."),
    headers: row.dict(null, "Further headers of the part."),
  }),
  { form: "list" },
);

const limit = (doc: string) => row.time(doc).to(Math.round).bounds();

const requestRows = () => ({
  headers: row.dict(null, "Headers of the request."),
  query: row.dict(null, "Parameters after the `?`; a list gives one for each value."),
  auth: row
    .either([row.text(), row.dict(authFields)], "Who asks: the header's value itself, or a dict.")
    .secret(),
  body: row.value(
    "What is sent: text, bytes, or any value as it is shown.",
    "text, bytes, or any value as it is shown",
  ),
  multipart: row.list(row.dict(partFields), "Parts of a form, in place of `body`.").full(),
  session: row.either([row.text(), row.dict(null)], "The session whose options and cookies are used."),
  timeout_ms: limit("Milliseconds that one attempt may take.").usually("30000"),
  timeout: limit("Another name for `timeout_ms`."),
  total_timeout_ms: limit("Milliseconds for all attempts together."),
  connect_timeout_ms: limit("Milliseconds until the connection stands."),
  read_timeout_ms: limit("Milliseconds without a byte."),
  follow_redirects: row.bool("Go where the server sends.", true).bounds(),
  max_redirects: row.int("So often at most.", 10).bounds(),
  private_addresses: row
    .oneOf(
      ["allow", "deny"],
      "`deny`: hosts that lead to this machine or its network are refused, judged by their resolved addresses at each connection.",
      "allow",
    )
    .bounds(),
  max_response_bytes: row.int("Bytes that are taken.", null, { min: 0 }).bounds(),
  decompress: row.bool("Unpack what comes packed.", true),
  retry: row.either([row.int(), row.dict(retryFields)], "How often it is tried again."),
  retries: row.int("Further attempts after the first.").usually("0"),
  backoff: row.duration("Rest before the first of them; doubles with each.").usually("1000"),
  backoff_ms: row.duration("Another name for `backoff`."),
  retry_on: row.list(row.int(), "Statuses that are tried again.", [408, 429, 500, 502, 503, 504]),
  retry_methods: row.list(row.text(), "Methods that may be sent again.", [
    "GET",
    "HEAD",
    "PUT",
    "DELETE",
    "OPTIONS",
  ]),
  respect_retry_after: row.bool("Wait as long as the server says.", true),
  proxy: row.either([row.text(), row.dict(proxyFields)], "The proxy that is asked.").bounds(),
  proxy_auth: row.dict(proxyAuthFields, "Who asks the proxy.").secret(),
  tls: row.dict(tlsFields, "Certificates and versions.").secret(),
});

export const requestFields = rows(requestRows);

export const streamRequestFields = rows(() => ({ method: row.text("The method.", "GET"), ...requestRows() }));

const mockResponse = rows(() => ({
  status: row.int("The status.", 200),
  headers: row.dict(null, "Headers of the answer."),
  body: row.value(
    "Its body: text, bytes, or any value as it is shown.",
    "text, bytes, or any value as it is shown",
  ),
}));

export const mockResponseFields = rows(() => ({
  ...mockResponse.typed,
  responses: row.list(row.dict(mockResponse), "Answers in order; the last one stays.", []),
}));

export const mockCallsFields = rows(() => ({
  redact_sensitive: row.bool("Hide what looks like a credential.", true),
  include_sensitive: row.bool("The opposite of `redact_sensitive`.", false),
}));

export const egressFields = rows(
  () => ({
    allow: row.handle<Value>(
      "string | list",
      "Hosts that may be asked: names, `*.suffix`, addresses, networks, each with an optional port.",
    ),
    deny: row.handle<Value>("string | list", "Hosts that may not."),
    default: row.text("What holds for all others: `allow`, or `deny` (where `allow` is given)."),
    configured: row.value("As `egress_policy()` tells it; has no effect.", "told back, without effect"),
    source: row.value("As `egress_policy()` tells it; has no effect.", "told back, without effect"),
  }),
  { strict: true },
);

export const formFields = rows(() => ({
  boundary: row
    .text("What stands between the parts (RFC 2046); made up unless given.")
    .where("1 to 70 letters, digits, blanks or '()+_,-./:=?", (text) =>
      /^[0-9A-Za-z'()+_,./:=? -]{0,69}[0-9A-Za-z'()+_,./:=?-]$/.test(text),
    ),
}));

export const formLimitFields = rows(
  () => ({
    max_total_bytes: row.int("Bytes of the whole body.", 8 * 1024 * 1024, { min: 0 }),
    max_field_bytes: row.int("Bytes of one field.", 8 * 1024 * 1024, { min: 0 }),
    max_fields: row.int("Fields.", 128, { min: 0 }),
  }),
  { strict: true },
);

export const responseFields = rows(() => ({
  status: row.int("The status.", 200),
  headers: row.dict(null, "Headers of the response."),
}));

/** What a route doesn't say is as its server says. */
export const routeFields = rows(() => ({
  max_body_bytes: row.int("Bytes of a request's body.", null, { min: 0 }).usually("10485760").bounds(),
  retain_raw_body: row.bool("Requests keep their body's bytes in `raw_body`.").usually("false"),
}));

export const serverFields = rows(() => ({
  max_body_bytes: routeFields.typed.max_body_bytes.or(10_485_760),
  retain_raw_body: routeFields.typed.retain_raw_body.or(false),
  ready: row.bool("It says that it is ready from the beginning.", true),
}));

export const tlsEdgeFields = rows(() => ({
  // A year: what browsers' preload lists ask for.
  hsts_max_age_seconds: row.int("Seconds for which browsers are told to stay with TLS.", 31536000),
  hsts_include_subdomains: row.bool("And for hosts below.", false),
  hsts_preload: row.bool("And that browsers may know it beforehand.", false),
}));

/** Anything else would leave a server speaking plainly that should not. */
export const listenFields = rows(() => ({
  tls: row
    .dict(null, "What `http_server_tls_pem` and its kin give.")
    .where(
      "a descriptor of http_server_tls_plain, _edge, _pem or _self_signed_dev",
      (read) => typeof read.get("terminate_tls") === "boolean",
    ),
}));

export const serveFields = rows(() => ({
  max_requests: row.int("It ends after so many.", null, { min: 0 }).bounds(),
  max_concurrent: row.int("Requests that run at once.", 64, { min: 1 }).bounds(),
}));

const messageLimit = (doc = "Bytes of one message.") => row.int(doc, 1_048_576, { min: 1 }).bounds();

export const sseConnectFields = rows(() => ({ max_message_bytes: messageLimit(), ...requestRows() }));

export const sseEventFields = rows(() => ({
  event: row.shown("What kind of event it is.").alias("name"),
  comment: row.shown("A comment beside it."),
  data: row.value("Its data.", "a text, or any value as JSON"),
  id: row.shown("Where a client goes on after a break."),
  retry: row.int("Milliseconds after which a client tries again."),
  retry_ms: row.int("Another name for `retry`."),
}));

export const sseResponseFields = rows(() => ({
  status: row.int("The status.", 200),
  headers: row.dict(null, "Headers of the response."),
  max_event_bytes: messageLimit("Bytes of one event."),
  max_buffered_events: row.int("Events that wait for a slow client.", 1000, { min: 1 }).bounds(),
}));

const socketRows = ({ buffer, idle }: { readonly buffer: number; readonly idle: number }) => ({
  max_message_bytes: messageLimit(),
  send_buffer_messages: row
    .int("Messages that wait for a slow reader; 0: none may be sent.", buffer, { min: 0 })
    .bounds(),
  idle_timeout_ms: row
    .int("Milliseconds without a message after which the connection ends; 0: never.", idle, { min: 0 })
    .bounds(),
  max_messages: row.int("Messages after which the connection ends.", null, { min: 1 }).bounds(),
});

export const socketConnectFields = rows(() => ({
  protocols: row.list(row.shown(""), "Protocols that are offered to the server.", []),
  ...requestRows(),
  ...socketRows({ buffer: 1000, idle: 0 }),
}));

export const socketRouteFields = rows(() => ({
  auth: row
    .either(
      [row.text(), row.dict(rows(() => ({ bearer: row.text("The token.", "").secret() })))],
      "`{bearer: TOKEN}`: who connects must have the token.",
    )
    .secret()
    .to((auth) => (typeof auth === "string" ? auth : auth.bearer))
    .where("a token that is not empty, or {bearer: TOKEN}", (token) => token !== "")
    .bounds(),
  ...socketRows({ buffer: 64, idle: 30_000 }),
}));

export const socketServerFields = rows(() => ({
  path: row.text("The first route, with the other options."),
  ...listenFields.typed,
  ...socketRouteFields.typed,
}));

export const socketMockFields = rows(
  () => ({
    messages: row.handle<List>("list", "What the other side says, in order."),
    echo: row.bool("It says again what it hears.", false),
  }),
  { form: "dict" },
);

export const socketMessageFields = rows(() => ({
  type: row.oneOf(
    ["text", "binary", "ping", "pong", "close"],
    "Bytes are `binary` unless it says otherwise.",
  ),
  code: row.int("With `close`: why.").usually("1000").alias("close_code"),
  reason: row.text("With `close`: why, in words.").alias("close_reason"),
  base64: row.bool("The text is base64 of what is sent.", false),
}));
