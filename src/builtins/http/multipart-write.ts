/** `multipart/form-data` bodies: for requests (`multipart` option) and for `multipart_form_data`. */
import { at, type Read, refusal } from "../../table/index.ts";
import { type Dict, fromBase64, thrown, type Value } from "../../values/index.ts";
import { bytesOfArgument, textOf, utf8 } from "../arguments.ts";
import { joinedBytes } from "../data/bytes.ts";
import type { partFields } from "../rows/http.ts";

type FormPart = Read<typeof partFields>;

/** The boundary where a body must be the same each time. */
export const fixedBoundary = "harn-boundary";

/** How parts are read: whose messages, and what a `path` gives. */
export interface PartReader {
  readonly caller: string;
  readFile(path: string): Uint8Array;
}

export function multipartBody(reader: PartReader, parts: readonly FormPart[], boundary: string): Uint8Array {
  const pieces = parts.flatMap((part) => [...writePart(reader, part, boundary), utf8("\r\n")]);
  return joinedBytes([...pieces, utf8(`--${boundary}--\r\n`)]);
}

function writePart(reader: PartReader, part: FormPart, boundary: string): Uint8Array[] {
  const { name, path, contentType: type } = part;
  const file = part.filename ?? path?.replace(/^.*[\\/]/, "");
  const lines = [
    `--${boundary}`,
    `Content-Disposition: form-data; name="${quotedName(singleLine(reader, "name", name))}"${file === undefined ? "" : `; filename="${quotedName(file)}"`}`,
    ...(type === null ? [] : [`Content-Type: ${singleLine(reader, "content_type", type)}`]),
    ...headerLines(reader, part.headers),
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

function headerLines(reader: PartReader, headers: Dict | null): string[] {
  return [...(headers?.entries() ?? [])]
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

function partContentOf(reader: PartReader, part: FormPart): Uint8Array {
  const { valueBase64, path } = part;
  if (valueBase64 !== null) {
    if (/^[A-Za-z0-9+/]*={0,2}$/.test(valueBase64)) return fromBase64(valueBase64);
    throw thrown(`${reader.caller}: value_base64 of a multipart part is not base64`);
  }
  if (path !== null) return reader.readFile(path);
  const content = part.content ?? part.value;
  if (content === null) throw thrown(`${reader.caller}: field is missing content`);
  return bytesOfArgument(content);
}
