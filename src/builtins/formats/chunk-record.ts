/**
 * A chunk of a file as the journal keeps it: as text where it is text, so that secrets in it are replaced like everywhere
 * else, and base64 takes no third more. Characters that the ends of a chunk cut through are kept as bytes.
 */

import { shape } from "../../effects/index.ts";
import { fromBase64, toBase64, utf8Text } from "../../values/index.ts";
import { joinedBytes } from "../data/bytes.ts";

export interface FileChunk {
  readonly data: Uint8Array;
  /** Bytes of the file. Others than those of `data` where a replay shows the placeholder of a secret. */
  readonly size: number;
}

type ChunkText = {
  readonly text: string;
  readonly size: number;
  readonly head?: string;
  readonly tail?: string;
};

export const chunkShape = shape
  .either(
    shape.text,
    shape.record<ChunkText>({
      text: shape.text,
      size: shape.count,
      head: shape.optional(shape.text),
      tail: shape.optional(shape.text),
    }),
  )
  .as<FileChunk>(chunkRecord, recordedChunk);

/** `{text, size}`, with `head` and `tail` for what is left of cut characters; base64 where it is no text. */
function chunkRecord({ data, size }: FileChunk): string | ChunkText {
  const start = cutHead(data);
  const end = cutTail(data, start);
  const text = utf8Text(data.subarray(start, end));
  if (text === undefined) return toBase64(data);
  return {
    text,
    size,
    ...(start > 0 ? { head: toBase64(data.subarray(0, start)) } : {}),
    ...(end < data.length ? { tail: toBase64(data.subarray(end)) } : {}),
  };
}

function recordedChunk(stored: string | ChunkText): FileChunk {
  if (typeof stored === "string") {
    const data = fromBase64(stored);
    return { data, size: data.length };
  }
  const { text, size, head, tail } = stored;
  const body = new TextEncoder().encode(text);
  if (head === undefined && tail === undefined) return { data: body, size };
  return { data: joinedBytes([fromBase64(head ?? ""), body, fromBase64(tail ?? "")]), size };
}

const isContinuation = (byte: number | undefined): boolean => byte !== undefined && (byte & 0xc0) === 0x80;

/** Bytes at the beginning that belong to a character of the chunk before. */
function cutHead(data: Uint8Array): number {
  let at = 0;
  while (at < 3 && isContinuation(data[at])) at++;
  return at;
}

/** Where a last character begins that goes on in the next chunk. */
function cutTail(data: Uint8Array, start: number): number {
  for (let back = 1; back <= 3 && data.length - back >= start; back++) {
    const byte = data[data.length - back] as number;
    if (isContinuation(byte)) continue;
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return length > back ? data.length - back : data.length;
  }
  return data.length;
}
