/** `multipart/form-data` bodies: for requests (`multipart` option) and for `multipart_form_data`. */
import { at, refusal } from "../../table/index.ts";
import { Bytes, Dict, fromBase64, type List, thrown, type Value } from "../../values/index.ts";
import { option, textOf, utf8 } from "../arguments.ts";
import { joinedBytes } from "../data/bytes.ts";

/** The boundary where a body must be the same each time. */
export const fixedBoundary = "harn-boundary";

/** How parts are read: whose messages, and what a `path` gives. */
export interface PartReader {
  readonly caller: string;
  readFile(path: Value): Uint8Array;
}

export function multipartBody(reader: PartReader, parts: List, boundary: string): Uint8Array {
  const pieces = parts.toArray().flatMap((part) => [...writePart(reader, part, boundary), utf8("\r\n")]);
  return joinedBytes([...pieces, utf8(`--${boundary}--\r\n`)]);
}

function writePart(reader: PartReader, part: Value, boundary: string): Uint8Array[] {
  const name = option(part, "name");
  if (name === undefined) throw thrown(`${reader.caller}: each multipart part needs a name`);
  if (textOf(name) === "") throw thrown(`${reader.caller}: the name of a multipart part is empty`);
  const path = option(part, "path");
  const type = option(part, "content_type");
  const file =
    option(part, "filename") ?? (path === undefined ? undefined : textOf(path).replace(/^.*[\\/]/, ""));
  const lines = [
    `--${boundary}`,
    `Content-Disposition: form-data; name="${quotedName(singleLine(reader, "name", name))}"${file === undefined ? "" : `; filename="${quotedName(textOf(file))}"`}`,
    ...(type === undefined ? [] : [`Content-Type: ${singleLine(reader, "content_type", type)}`]),
    ...headerLines(reader, part),
  ];
  return [utf8(`${lines.join("\r\n")}\r\n\r\n`), partContentOf(reader, part)];
}

/** As browsers write it; what looks like one of these escapes is escaped itself, so that reading gives the same text. */
const quotedName = (text: string): string =>
  text.replace(/%((?:25)*)(22|0D|0A)/gi, "%25$1$2").replace(/["\r\n]/g, (c) => encodeURIComponent(c));

/** What {@link quotedName} wrote. */
export const unquoted = (text: string): string =>
  text.replace(/%((?:25)*)(22|0D|0A)/gi, (whole, escapes: string, code: string) =>
    escapes === "" ? decodeURIComponent(whole) : `%${escapes.slice(2)}${code}`,
  );

/** A line break in a header would begin another header. */
function singleLine(reader: PartReader, what: string, value: Value): string {
  const text = textOf(value);
  if (!/[\r\n\0]/.test(text)) return text;
  throw refusal(at(reader.caller, `multipart part: ${what}`), "a single line", text);
}

function headerLines(reader: PartReader, part: Value): string[] {
  const headers = option(part, "headers");
  if (headers === undefined) return [];
  if (!(headers instanceof Dict))
    throw refusal(at(reader.caller, "multipart part: headers"), "dict", headers);
  return [...headers.entries()]
    .filter(([, value]) => value !== null)
    .map(([name, value]) => {
      if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name))
        throw thrown(`${reader.caller}: '${name}' is not a header name`);
      if (/^content-(?:disposition|type)$/i.test(name))
        throw thrown(
          `${reader.caller}: header '${name}' of a multipart part is written by its name, filename and content_type`,
        );
      return `${name}: ${singleLine(reader, `header '${name}'`, value)}`;
    });
}

function partContentOf(reader: PartReader, part: Value): Uint8Array {
  const encoded = option(part, "value_base64");
  if (encoded !== undefined) {
    const text = textOf(encoded);
    if (/^[A-Za-z0-9+/]*={0,2}$/.test(text)) return fromBase64(text);
    throw thrown(`${reader.caller}: value_base64 of a multipart part is not base64`);
  }
  const path = option(part, "path");
  if (path !== undefined) return reader.readFile(path);
  const value = option(part, "content") ?? option(part, "value");
  if (value === undefined) throw thrown(`${reader.caller}: field is missing content`);
  return value instanceof Bytes ? value.data : utf8(textOf(value));
}
