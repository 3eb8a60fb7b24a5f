/** Rows of HTTP clients and servers (builtins.md §2.15). */

import { row, rows } from "../../table/index.ts";
import type { List, Value } from "../../values/index.ts";

const ms = "int | float | duration";

const retryFields = rows(() => ({
  max: row.int("Further attempts after the first.", 0, { min: 0 }),
  backoff_ms: row.duration("Rest before the first of them; doubles with each.", 1000),
}));

const authFields = rows(() => ({
  bearer: row.text("A token for `Authorization: Bearer`."),
  basic: row.dict(
    rows(() => ({
      user: row.text("The user."),
      username: row.text("Another name for `user`."),
      password: row.text("The password."),
    })),
    "User and password for `Authorization: Basic`.",
  ),
}));

const proxyFields = rows(() => ({
  url: row.text("The proxy: `http://proxy:8080`."),
  no_proxy: row.texts("Hosts that are asked directly."),
}));

const proxyAuthFields = rows(() => ({
  user: row.text("The user."),
  pass: row.text("The password."),
  password: row.text("Another name for `pass`."),
}));

/** PEM texts or paths of files that hold them. */
const tlsFields = rows(() => ({
  ...Object.fromEntries(
    ["ca", "ca_pem", "ca_path", "ca_bundle_path"].map((name) => [
      name,
      row.handle<Value>("string | bytes", "Authorities that are trusted: PEM text, or a file."),
    ]),
  ),
  ...Object.fromEntries(
    ["cert", "cert_pem", "cert_path", "client_cert_path"].map((name) => [
      name,
      row.handle<Value>("string | bytes", "The client's certificate: PEM text, or a file."),
    ]),
  ),
  ...Object.fromEntries(
    ["key", "key_pem", "key_path", "client_key_path"].map((name) => [
      name,
      row.handle<Value>("string | bytes", "Its key: PEM text, or a file."),
    ]),
  ),
  server_name: row.text("The name that the server's certificate must have."),
  min_version: row.text("The oldest TLS that is spoken: `1.2`."),
  verify: row.bool("Check the server's certificate.", true).bounds(),
  insecure: row.bool("Do not check it.", false),
}));

/** One part of a form. */
export const partFields = rows(
  () => ({
    name: row.text("The field's name."),
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

const requestRows = () => ({
  headers: row.dict(null, "Headers of the request."),
  query: row.dict(null, "Parameters after the `?`; a list gives one for each value."),
  auth: row
    .handle<Value>("string | dict", "Who asks: the header's value itself, or a dict.")
    .with({ nested: authFields }),
  body: row.value(
    "What is sent: text, bytes, or any value as it is shown.",
    "text, bytes, or any value as it is shown",
  ),
  multipart: row.handle<List>("list", "Parts of a form, in place of `body`.").with({ nested: partFields }),
  session: row.either([row.text(), row.dict(null)], "The session whose options and cookies are used."),
  timeout_ms: row.handle<Value>(ms, "Milliseconds that one attempt may take.").usually("30000").bounds(),
  timeout: row.handle<Value>(ms, "Another name for `timeout_ms`.").bounds(),
  total_timeout_ms: row.handle<Value>(ms, "Milliseconds for all attempts together.").bounds(),
  connect_timeout_ms: row.handle<Value>(ms, "Milliseconds until the connection stands.").bounds(),
  read_timeout_ms: row.handle<Value>(ms, "Milliseconds without a byte.").bounds(),
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
  retry: row.handle<Value>("int | dict", "How often it is tried again.").with({ nested: retryFields }),
  retries: row.int("Further attempts after the first.", 0),
  backoff: row.duration("Rest before the first of them; doubles with each.", 1000),
  backoff_ms: row.duration("Another name for `backoff`."),
  retry_on: row.list(row.int(), "Statuses that are tried again.").usually("[408, 429, 500, 502, 503, 504]"),
  retry_methods: row
    .list(row.text(), "Methods that may be sent again.")
    .usually('["GET", "HEAD", "PUT", "DELETE", "OPTIONS"]'),
  respect_retry_after: row.bool("Wait as long as the server says.", true),
  proxy: row
    .handle<Value>("string | dict", "The proxy that is asked.")
    .bounds()
    .with({ nested: proxyFields }),
  proxy_auth: row.dict(proxyAuthFields, "Who asks the proxy."),
  tls: row.dict(tlsFields, "Certificates and versions."),
});

export const requestFields = rows(requestRows);

export const streamRequestFields = rows(() => ({ method: row.text("The method.", "GET"), ...requestRows() }));

const mockResponse = () => ({
  status: row.int("The status.", 200),
  headers: row.dict(null, "Headers of the answer."),
  body: row.value(
    "Its body: text, bytes, or any value as it is shown.",
    "text, bytes, or any value as it is shown",
  ),
});

export const mockResponseFields = rows(() => ({
  ...mockResponse(),
  responses: row
    .handle<List>("list", "Answers in order; the last one stays.")
    .with({ nested: rows(mockResponse) }),
}));

export const mockCallsFields = rows(() => ({
  redact_sensitive: row.bool("Hide what looks like a credential.", true),
  include_sensitive: row.bool("The opposite of `redact_sensitive`."),
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
  boundary: row.value("What stands between the parts; made up unless given.", "shown as its text"),
}));

export const formLimitFields = rows(
  () => ({
    max_total_bytes: row.int("Bytes of the whole body.", null, { min: 0 }),
    max_field_bytes: row.int("Bytes of one field.", null, { min: 0 }),
    max_fields: row.int("Fields.", null, { min: 0 }),
  }),
  { strict: true },
);

export const cookieFields = rows(() => ({
  path: row.text("Where the cookie is sent."),
  domain: row.text("Hosts that it is sent to."),
  max_age: row.duration("Seconds that it lives."),
  expires: row.value("When it ends: seconds, a date, or its text.", "seconds, a date, or its text"),
  http_only: row.bool("Scripts of the page do not see it."),
  secure: row.bool("It is sent over TLS only."),
  same_site: row.text("`Strict`, `Lax` or `None`."),
}));

export const responseFields = rows(() => ({
  status: row.int("The status.", 200),
  headers: row.dict(null, "Headers of the response."),
}));

const bodyRows = () => ({
  max_body_bytes: row.int("Bytes of a request's body.", 10485760, { min: 0 }).bounds(),
  retain_raw_body: row.bool("Requests keep their body's bytes in `raw_body`.", false),
});

export const routeFields = rows(bodyRows);

export const serverFields = rows(() => ({
  ...bodyRows(),
  ready: row.bool("It says that it is ready from the beginning.", true),
}));

const descriptorRows = () => ({
  hsts_max_age_seconds: row.int("Seconds for which browsers are told to stay with TLS.", 31536000),
  hsts_include_subdomains: row.bool("And for hosts below.", false),
});

export const tlsEdgeFields = rows(descriptorRows);

export const listenFields = rows(() => ({
  tls: row.dict(null, "What `http_server_tls_pem` and its kin give."),
}));

export const serveFields = rows(() => ({
  max_requests: row.int("It ends after so many.", null, { min: 0 }).bounds(),
  max_concurrent: row.int("Requests that run at once.", null, { min: 1 }).bounds(),
}));

const messageLimit = () => row.int("Bytes of one message.", 1_048_576, { min: 1 }).bounds();

export const sseConnectFields = rows(() => ({ max_message_bytes: messageLimit(), ...requestRows() }));

export const sseEventFields = rows(() => ({
  event: row.value("What kind of event it is.", "shown as its text"),
  data: row.value("Its data.", "a text, or any value as JSON"),
  id: row.value("Where a client goes on after a break.", "shown as its text"),
  retry: row.int("Milliseconds after which a client tries again."),
  retry_ms: row.int("Another name for `retry`."),
}));

export const sseResponseFields = rows(() => ({
  status: row.int("The status.", 200),
  headers: row.dict(null, "Headers of the response."),
  max_event_bytes: row.int("Bytes of one event.", null, { min: 1 }).bounds(),
  max_buffered_events: row.int("Events that wait for a slow client.", null, { min: 1 }).bounds(),
}));

const socketRows = () => ({
  max_message_bytes: messageLimit(),
  send_buffer_messages: row.int("Messages that wait for a slow reader.", 1000).bounds(),
  idle_timeout_ms: row.int("Milliseconds without a message after which the connection ends.").bounds(),
});

export const socketConnectFields = rows(() => ({
  protocols: row.handle<List>("list", "Protocols that are offered to the server."),
  ...requestRows(),
  ...socketRows(),
}));

export const socketRouteFields = rows(() => ({
  auth: row
    .either([row.text(), row.dict(null)], "`{bearer: TOKEN}`: who connects must have the token.")
    .bounds(),
  ...socketRows(),
}));

export const socketServerFields = listenFields;

export const socketMockFields = rows(
  () => ({
    messages: row.handle<List>("list", "What the other side says, in order."),
    echo: row.bool("It says again what it hears.", false),
  }),
  { form: "dict" },
);

export const socketMessageFields = rows(() => ({
  type: row.text("`text`, `binary`, `ping`, `pong` or `close`; bytes are `binary` unless it says otherwise."),
  code: row.int("With `close`: why.", 1000),
  reason: row.text("With `close`: why, in words."),
}));
