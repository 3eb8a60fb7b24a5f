/**
 * Answers that scripts write (builtins.md §2.15). Whatever a handler returns becomes one form, a dict
 * `{status, headers, body, ok, body_kind, raw_body}`; header names are in lower case.
 */

import { defineBuiltins } from "../../table/index.ts";
import {
  Bytes,
  Dict,
  display,
  jsonStringify,
  List,
  optionsDict,
  typeOf,
  type Value,
} from "../../values/index.ts";
import {
  type Argument,
  bytesOfArgument,
  intOr,
  option,
  optionsOf,
  textOf,
  withoutNilEntries,
} from "../arguments.ts";
import { responseFields } from "../rows/http.ts";

const textType = "text/plain; charset=utf-8";
const jsonType = "application/json; charset=utf-8";
const bytesType = "application/octet-stream";

type BodyKind = "text" | "json" | "bytes";

/** Names in lower case; nil leaves a header out. A list joins its values, but for cookies, each of which is a line. */
export function headerDict(input: Argument): Dict {
  if (!(input instanceof Dict)) return new Dict();
  const entries = [...withoutNilEntries(input).entries()];
  return Dict.from(
    entries.map(([name, value]) => [name.toLowerCase(), headerValue(name.toLowerCase(), value)]),
  );
}

function headerValue(name: string, value: Value): Value {
  if (!(value instanceof List)) return textOf(value);
  const texts = value.toArray().map((one) => display(one));
  return name === "set-cookie" ? new List(texts) : texts.join(", ");
}

export function response(status: number, headers: Dict, body: Value, kind: BodyKind): Dict {
  return Dict.of({
    status,
    headers,
    body,
    ok: status >= 200 && status < 300,
    body_kind: kind,
    raw_body: body instanceof Bytes ? body : null,
  });
}

const withType = (headers: Dict, type: string): Dict =>
  headers.has("content-type") ? headers : headers.with("content-type", type);

/** A text with a status, for what the server itself has to say. */
export const textResponse = (status: number, text: string): Dict =>
  response(status, Dict.of({ "content-type": textType }), text, "text");

/** What a handler returned: an answer, a text, bytes, nothing (204), or a value to be sent as JSON. */
export function httpResponseOf(value: Value): Dict {
  if (value === null) return response(204, new Dict(), "", "text");
  if (value instanceof Dict && isResponse(value)) return normalized(value);
  if (value instanceof Bytes) return response(200, Dict.of({ "content-type": bytesType }), value, "bytes");
  if (typeof value === "string") return textResponse(200, value);
  return response(200, Dict.of({ "content-type": jsonType }), jsonStringify(value), "json");
}

/** A dict is an answer when it says a status; a request has none. */
export const isResponse = (value: Value): boolean => value instanceof Dict && value.has("status");

function normalized(input: Dict): Dict {
  const status = intOr(input.get("status"), 200);
  const headers = headerDict(input.get("headers"));
  const body = input.get("body") ?? null;
  const base = bodyForm(headers, body, input.get("body_kind"));
  const whole = response(status, base.headers, base.body, base.kind);
  // A streamed answer keeps what its sender knows it by.
  return input.get("streaming") === true ? input.merge(whole) : whole;
}

function bodyForm(
  headers: Dict,
  body: Value,
  kind: Argument,
): { headers: Dict; body: Value; kind: BodyKind } {
  if (body instanceof Bytes) return { headers, body, kind: "bytes" };
  if (body === null) return { headers, body: "", kind: "text" };
  if (typeof body === "string")
    return { headers, body, kind: kind === "json" || isJsonMessage(headers) ? "json" : "text" };
  if (typeOf(body) !== "dict" && typeOf(body) !== "list")
    return { headers, body: display(body), kind: "text" };
  return { headers: withType(headers, jsonType), body: jsonStringify(body), kind: "json" };
}

const isJsonMessage = (headers: Dict): boolean => /\bjson\b/.test(textOf(headers.get("content-type")));

function made(caller: string, options: Argument, type: string, body: Value, kind: BodyKind): Dict {
  const { status, headers } = optionsOf(caller, options, responseFields);
  return response(status, withType(headerDict(headers ?? undefined), type), body, kind);
}

function messageHeader(message: Argument, name: Argument): Value {
  const input = option(message, "headers");
  const headers = input instanceof Dict ? input : message;
  if (!(headers instanceof Dict)) return null;
  const wanted = textOf(name).toLowerCase();
  for (const [key, value] of headers.entries()) if (key.toLowerCase() === wanted) return value;
  return null;
}

export const httpMessages = defineBuiltins(
  "http_messages",
  {
    http_response: {
      doc: "An answer: `{status, headers, body, ok, body_kind, raw_body}`. A dict or list as body becomes JSON.",
      sig: "(status: int, body?: any, headers?: dict) -> dict",
      effect: "pure",
      example: 'http_response(404, "gone").ok  // false',
      run: (_task, status: Argument, body: Argument, headers: Argument) =>
        httpResponseOf(
          Dict.of({
            status: intOr(status, 200),
            body: body ?? null,
            headers: optionsDict("http_response", headers, "headers"),
          }),
        ),
    },
    http_response_text: {
      doc: "An answer of plain text. Options: `status`, `headers`.",
      sig: "(text: string, options?: dict) -> dict",
      effect: "pure",
      example: 'http_response_text("hi").headers  // {content-type: text/plain; charset=utf-8}',
      fields: { options: () => responseFields },
      run: (_task, text: Argument, options: Argument) =>
        made("http_response_text", options, textType, textOf(text), "text"),
    },
    http_response_json: {
      doc: "An answer of JSON; its body is the text. Options: `status`, `headers`.",
      sig: "(value: any, options?: dict) -> dict",
      effect: "pure",
      example: 'http_response_json({a: 1}, {status: 201}).body  // {"a":1}',
      fields: { options: () => responseFields },
      run: (_task, value: Argument, options: Argument) =>
        made("http_response_json", options, jsonType, jsonStringify(value ?? null), "json"),
    },
    http_response_bytes: {
      doc: "An answer of bytes. Options: `status`, `headers`.",
      sig: "(data: bytes | string, options?: dict) -> dict",
      effect: "pure",
      example: 'http_response_bytes(bytes_from_hex("00ff")).raw_body  // b"00ff"',
      fields: { options: () => responseFields },
      run: (_task, data: Argument, options: Argument) =>
        made("http_response_bytes", options, bytesType, new Bytes(bytesOfArgument(data)), "bytes"),
    },
    http_header: {
      doc: "A header of a message, or of a dict of headers, in whatever case; nil when it is not there.",
      sig: "(message: dict, name: string) -> string?",
      effect: "pure",
      example: 'http_header({headers: {"Content-Type": "text/html"}}, "content-type")  // text/html',
      run: (_task, message: Argument, name: Argument) => messageHeader(message, name),
    },
  },
  { headers: "headers by name", message: "a request or a response" },
);
