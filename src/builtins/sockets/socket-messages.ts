/** Messages of web sockets, as scripts give and get them. */

import type { Json } from "../../effects/index.ts";
import type { SocketMessage } from "../../host/index.ts";
import {
  Bytes,
  Dict,
  display,
  fromBase64,
  jsonStringify,
  List,
  thrown,
  toBase64,
  type Value,
} from "../../values/index.ts";
import { type Argument, bytesOfArgument, intOr, option, optionsOf, textOf, utf8 } from "../arguments.ts";
import { socketMessageFields } from "../rows/http.ts";

/** What a script wants to send: text, bytes (binary), or whatever `{type}` says; dicts and lists become JSON. */
export function messageOf(caller: string, value: Argument, options: Argument): SocketMessage {
  const { code, reason, base64: encoded, ...read } = optionsOf(caller, options, socketMessageFields);
  const type = read.type ?? (value instanceof Bytes ? "binary" : "text");
  if (type === "close") return closeMessage(caller, code ?? undefined, reason ?? value);
  if (type === "text" && !encoded) return { type, data: textData(value) };
  const data = encoded ? base64(caller, textOf(value)) : bytesOfArgument(value ?? "");
  if (type === "text") return { type: "binary", data };
  if ((type === "ping" || type === "pong") && data.length > 125)
    throw thrown(`${caller}: a ${type} holds at most 125 bytes, got ${data.length}`);
  return { type, data };
}

/** Codes that an application may send (RFC 6455 §7.4). */
const mayClose = (code: number): boolean =>
  (code >= 1000 && code <= 1014 && ![1004, 1005, 1006].includes(code)) || (code >= 3000 && code <= 4999);

export function closeMessage(
  caller: string,
  code: Argument,
  reason: Argument,
): Extract<SocketMessage, { type: "close" }> {
  const number = intOr(code, 1000);
  if (!mayClose(number)) throw thrown(`${caller}: ${number} is no close code (1000 to 1014, 3000 to 4999)`);
  const text = reason === null ? "" : textOf(reason);
  if (utf8(text).length > 123) throw thrown(`${caller}: a close reason holds at most 123 bytes`);
  return { type: "close", code: number, reason: text };
}

function textData(value: Argument): string {
  if (value instanceof Bytes) return new TextDecoder().decode(value.data);
  return value instanceof Dict || value instanceof List ? jsonStringify(value) : textOf(value);
}

/** A mock's message: text, bytes, or a dict in the form that `websocket_receive` gives. */
export function mockedMessage(value: Value): SocketMessage | "timeout" {
  if (!(value instanceof Dict) || !value.has("type")) return messageOf("websocket_mock", value, undefined);
  const type = textOf(value.get("type"));
  if (type === "timeout") return "timeout";
  const encoded = option(value, "data_base64");
  const data =
    encoded === undefined ? value.get("data") : new Bytes(base64("websocket_mock", display(encoded)));
  return messageOf("websocket_mock", data ?? "", value);
}

function base64(caller: string, text: string): Uint8Array {
  if (/^[A-Za-z0-9+/]*={0,2}$/.test(text)) return fromBase64(text);
  throw thrown(`${caller}: the data is not base64`);
}

/** `{type: "text", data}`, `{type: "binary" | "ping" | "pong", data_base64}`, `{type: "close", code, reason}` */
export function socketMessageDict(message: SocketMessage): Dict {
  if (message.type === "text") return Dict.of({ type: "text", data: message.data });
  if (message.type === "close") return Dict.of({ type: "close", code: message.code, reason: message.reason });
  return Dict.of({ type: message.type, data_base64: toBase64(message.data) });
}

/** For a journal's arguments. */
export function socketMessageJson(message: SocketMessage): Json {
  if (message.type === "text") return { type: "text", data: message.data };
  if (message.type === "close") return { type: "close", code: message.code, reason: message.reason };
  return { type: message.type, data: toBase64(message.data) };
}

export const sizeOf = (message: SocketMessage): number =>
  message.type === "close" ? 0 : message.type === "text" ? utf8(message.data).length : message.data.length;
