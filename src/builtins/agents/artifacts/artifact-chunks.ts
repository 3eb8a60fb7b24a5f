/**
 * Artifacts cut into the chunks that `assemble_context` packs: at blank lines, then at lines, then anywhere, so that no
 * chunk is bigger than the threshold. A chunk's id names its artifact and its text, so that the same text keeps its id.
 */

import type { Task } from "../../../interp/index.ts";
import { bm25Words } from "../../../model/index.ts";
import { Dict, sha256Hex, type Value } from "../../../values/index.ts";
import { tokensIn } from "../../../work/index.ts";
import { textOf, utf8 } from "../../arguments.ts";

export interface Chunk {
  readonly id: string;
  readonly artifact: Dict;
  readonly artifactId: string;
  readonly text: string;
  readonly tokens: number;
  readonly index: number;
  readonly count: number;
}

export function chunksOf(task: Task, artifact: Dict, threshold: number): Chunk[] {
  const artifactId = textOf(artifact.get("id"));
  const { crypto } = task.runtime.host;
  const texts = splitPieces(textOf(artifact.get("text") ?? undefined), threshold);
  return texts.map((text, index) => {
    const digest = sha256Hex(crypto, text).slice(0, 16);
    const id = `${artifactId}#${digest}`;
    return { id, artifact, artifactId, text, tokens: tokensIn(text), index, count: texts.length };
  });
}

/** As scripts see it. */
export function chunkDict(chunk: Chunk, score: Value): Dict {
  const { artifact } = chunk;
  return Dict.of({
    id: chunk.id,
    artifact_id: chunk.artifactId,
    artifact_kind: artifact.get("kind") ?? null,
    title: artifact.get("title") ?? null,
    source: artifact.get("source") ?? null,
    text: chunk.text,
    estimated_tokens: chunk.tokens,
    chunk_index: chunk.index,
    chunk_count: chunk.count,
    score,
  });
}

/** Where texts may be cut, the best places first. */
const separators = ["\n\n", "\n"] as const;

function splitPieces(text: string, threshold: number, level = 0): string[] {
  if (tokensIn(text) <= threshold) return [text];
  const separator = separators[level];
  if (separator === undefined) return slices(text, threshold * 4);
  const pieces = text
    .split(separator)
    .filter((piece) => piece.trim() !== "")
    .flatMap((piece) => splitPieces(piece, threshold, level + 1));
  return joinedPieces(pieces, separator, threshold);
}

/** Neighbours that fit into one chunk become one. */
function joinedPieces(pieces: readonly string[], separator: string, threshold: number): string[] {
  const limit = threshold * 4;
  const chunks: string[] = [];
  let parts: string[] = [];
  let size = 0;
  for (const piece of pieces) {
    const bytes = utf8(piece).length;
    if (parts.length > 0 && size + separator.length + bytes > limit) {
      chunks.push(parts.join(separator));
      parts = [];
      size = 0;
    }
    size += bytes + (parts.length > 0 ? separator.length : 0);
    parts.push(piece);
  }
  if (parts.length > 0) chunks.push(parts.join(separator));
  return chunks;
}

/** Pieces of at most so many bytes, never inside a character. */
function slices(text: string, limit: number): string[] {
  const found: string[] = [];
  let start = 0;
  let end = 0;
  let size = 0;
  for (const character of text) {
    const bytes = utf8(character).length;
    if (size > 0 && size + bytes > limit) {
      found.push(text.slice(start, end));
      start = end;
      size = 0;
    }
    size += bytes;
    end += character.length;
  }
  found.push(text.slice(start));
  return found;
}

// ── duplicates ────────────────────────────────────────────────────────────────────────────────────────────────────

export type Dedup = "chunked" | "none" | "semantic";

/** The chunks without repetitions; `dropped` gets each with the chunk that it repeats. */
export function distinctChunks(
  chunks: readonly Chunk[],
  dedup: Dedup,
  overlap: number,
  dropped: (chunk: Chunk, original: Chunk) => void,
): Chunk[] {
  if (dedup === "none") return [...chunks];
  const byText = new Map<string, Chunk>();
  const kept: { chunk: Chunk; words: ReadonlySet<string> }[] = [];
  for (const chunk of chunks) {
    const words = new Set(dedup === "semantic" ? bm25Words(chunk.text) : []);
    const original =
      byText.get(chunk.text) ?? kept.find((other) => sharedShare(words, other.words) >= overlap)?.chunk;
    if (original !== undefined) {
      dropped(chunk, original);
      continue;
    }
    byText.set(chunk.text, chunk);
    kept.push({ chunk, words });
  }
  return kept.map(({ chunk }) => chunk);
}

/** The share of the words of both that both have; 0 without words. */
function sharedShare(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  if (a.size === 0 || b.size === 0) return 0;
  let both = 0;
  for (const word of a) if (b.has(word)) both++;
  return both / (a.size + b.size - both);
}
