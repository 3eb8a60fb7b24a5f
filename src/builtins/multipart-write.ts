/** `multipart/form-data` bodies: for requests (`multipart` option) and for `multipart_form_data`. */
import { Bytes, fromBase64, type List, thrown, type Value } from "../values/index.ts";
import { type Given, option, textOf, utf8 } from "./arguments.ts";
import { joined } from "./bytes.ts";

/** The boundary where a body must be the same each time. */
export const fixedBoundary = "harn-boundary";

/** How parts are read: whose messages, and what a `path` gives. */
export interface PartReader {
  readonly caller: string;
  readFile(path: Value): Uint8Array;
}

export function multipartBody(reader: PartReader, parts: List, boundary: string): Uint8Array {
  const pieces = parts.toArray().flatMap((part) => [...writePart(reader, part, boundary), utf8("\r\n")]);
  return joined([...pieces, utf8(`--${boundary}--\r\n`)]);
}

function writePart(reader: PartReader, part: Value, boundary: string): Uint8Array[] {
  const name = option(part, "name");
  if (name === undefined) throw thrown(`${reader.caller}: each multipart part needs a name`);
  const path = option(part, "path");
  const type = option(part, "content_type");
  const file =
    option(part, "filename") ?? (path === undefined ? undefined : textOf(path).replace(/^.*[\\/]/, ""));
  const quoted = (text: Given): string => textOf(text).replace(/["\r\n]/g, (c) => encodeURIComponent(c));
  const lines = [
    `--${boundary}`,
    `Content-Disposition: form-data; name="${quoted(name)}"${file === undefined ? "" : `; filename="${quoted(file)}"`}`,
    ...(type === undefined ? [] : [`Content-Type: ${textOf(type).replace(/[\r\n]/g, " ")}`]),
  ];
  return [utf8(`${lines.join("\r\n")}\r\n\r\n`), contentOf(reader, part)];
}

function contentOf(reader: PartReader, part: Value): Uint8Array {
  const encoded = option(part, "value_base64");
  if (encoded !== undefined) {
    const text = textOf(encoded);
    if (/^[A-Za-z0-9+/]*={0,2}$/.test(text)) return fromBase64(text);
    throw thrown(`${reader.caller}: value_base64 of a multipart part is not base64`);
  }
  const path = option(part, "path");
  if (path !== undefined) return reader.readFile(path);
  const value = option(part, "value");
  return value instanceof Bytes ? value.data : utf8(textOf(value));
}
