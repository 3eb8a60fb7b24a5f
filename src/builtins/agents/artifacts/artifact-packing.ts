/**
 * `assemble_context` (builtins.md §2.21): chunks of artifacts, in the order of a strategy, packed greedily. The budget is
 * never exceeded; what is left out is said, with its reason.
 */

import type { Task } from "../../../interp/index.ts";
import { rankByWords } from "../../../model/index.ts";
import { at, type Read, row } from "../../../table/index.ts";
import {
  type Callable,
  Dict,
  Float,
  invoke2,
  List,
  type MaybePromise,
  proceed,
  thrown,
  typeOf,
  type Value,
} from "../../../values/index.ts";
import { artifactsOf, assembleFields, newestFirst } from "../../../work/index.ts";
import { type Argument, numberOf, textOf } from "../../arguments.ts";
import { type Chunk, chunkDict, chunksOf, distinctChunks } from "./artifact-chunks.ts";

const name = "assemble_context";
type Packing = Omit<Read<typeof assembleFields>, "artifacts"> & { readonly artifacts: readonly Dict[] };

interface ChunkScore {
  readonly chunk: Chunk;
  readonly score: number;
}

export function packArtifactContext(task: Task, options: Argument): MaybePromise<Dict> {
  const packing = packingOf(task, options);
  const dropped: Dict[] = [];
  const chunks = distinctChunks(
    readableArtifact(task, packing, dropped),
    packing.dedup,
    packing.semanticOverlap,
    (chunk, of) => dropped.push(droppedNote(chunk.artifactId, chunk.id, "duplicate", `repeats ${of.id}`)),
  );
  return proceed(scoredChunks(task, packing, chunks), (scored) => packed(packing, scored, dropped));
}

// ── options ───────────────────────────────────────────────────────────────────────────────────────────────────────

function packingOf(task: Task, options: Argument): Packing {
  const read = row.dict(assembleFields).read(options ?? null, at(name));
  return { ...read, artifacts: artifactsOf(task, name, read.artifacts) };
}

// ── chunks ────────────────────────────────────────────────────────────────────────────────────────────────────────

function droppedNote(artifactId: string, chunkId: string | null, reason: string, detail: string): Dict {
  return Dict.of({ artifact_id: artifactId, chunk_id: chunkId, reason, detail });
}

/** The chunks of all artifacts that have a text. */
function readableArtifact(task: Task, packing: Packing, dropped: Dict[]): Chunk[] {
  return packing.artifacts.flatMap((artifact) => {
    const text = artifact.get("text") ?? null;
    const id = textOf(artifact.get("id"));
    if (text !== null && textOf(text).trim() !== "")
      return chunksOf(task, artifact, packing.microcompactThreshold);
    dropped.push(
      text === null
        ? droppedNote(id, null, "no_text", "the artifact has no text")
        : droppedNote(id, null, "empty_text", "the text of the artifact is blank"),
    );
    return [];
  });
}

// ── order ─────────────────────────────────────────────────────────────────────────────────────────────────────────

/** The chunks, best first. Equal ones keep the order of the artifacts. */
function scoredChunks(task: Task, packing: Packing, chunks: readonly Chunk[]): MaybePromise<ChunkScore[]> {
  return proceed(scores(task, packing, chunks), (numbers) => {
    const scored = chunks.map((chunk, index) => ({ chunk, score: numbers[index] ?? 0 }));
    return scored.toSorted((a, b) => b.score - a.score);
  });
}

function scores(task: Task, packing: Packing, chunks: readonly Chunk[]): MaybePromise<number[]> {
  if (packing.strategy === "round_robin") return chunks.map(({ index }) => 1 / (1 + index));
  if (packing.strategy === "recency") return recencyScores(packing, chunks);
  if (packing.rankerCallback !== null)
    return rankedByScript(task, packing.rankerCallback, packing.query, chunks);
  return packing.query === "" ? chunks.map(ownRelevance) : queryScores(packing.query, chunks);
}

/** What the artifact says of itself; without that its priority, as a share of the highest. */
const ownRelevance = ({ artifact }: Chunk): number =>
  numberOf(artifact.get("relevance")) ?? (numberOf(artifact.get("priority")) ?? 0) / 100;

function queryScores(query: string, chunks: readonly Chunk[]): number[] {
  const found = new Array<number>(chunks.length).fill(0);
  for (const { index, score } of rankByWords(
    query,
    chunks.map(({ text }) => text),
  ))
    found[index] = score;
  return found;
}

/** 1 for the newest artifact, less for each older one. */
function recencyScores(packing: Packing, chunks: readonly Chunk[]): number[] {
  const ordered = packing.artifacts.toSorted(newestFirst);
  const places = new Map(ordered.map((artifact, place) => [artifact, place]));
  return chunks.map(({ artifact }) => 1 - (places.get(artifact) ?? 0) / ordered.length);
}

function rankedByScript(
  task: Task,
  ranker: Callable,
  query: string,
  chunks: readonly Chunk[],
): MaybePromise<number[]> {
  const shown = new List(chunks.map((chunk) => chunkDict(chunk, null)));
  return proceed(invoke2(task, ranker, query, shown), (answer) => rankerScores(answer, chunks.length));
}

function rankerScores(answer: Value, wanted: number): number[] {
  const numbers = answer instanceof List ? answer.toArray().map(numberOf) : [];
  const finite = numbers.filter((number) => number !== undefined && Number.isFinite(number)) as number[];
  if (answer instanceof List && finite.length === wanted && numbers.length === wanted) return finite;
  const got = answer instanceof List ? `a list of ${answer.length}` : typeOf(answer);
  throw thrown(
    `${name}: ranker_callback must return a list of numbers, one for each of ${wanted} chunks; got ${got}`,
  );
}

// ── packing ───────────────────────────────────────────────────────────────────────────────────────────────────────

function packed(packing: Packing, scored: readonly ChunkScore[], dropped: Dict[]): Dict {
  const chosen: ChunkScore[] = [];
  const reasons: Dict[] = [];
  let total = 0;
  for (const entry of scored) {
    const { chunk } = entry;
    const included = total + chunk.tokens <= packing.budgetTokens;
    reasons.push(reasonFor(packing, entry, included));
    if (included) {
      chosen.push(entry);
      total += chunk.tokens;
    } else {
      const detail = `${chunk.tokens} tokens do not fit: ${packing.budgetTokens - total} of ${packing.budgetTokens} are left`;
      dropped.push(droppedNote(chunk.artifactId, chunk.id, "budget_exceeded", detail));
    }
  }
  return Dict.of({
    chunks: new List(chosen.map(({ chunk, score }) => chunkDict(chunk, new Float(score)))),
    included: new List(includedArtifacts(chosen.map(({ chunk }) => chunk))),
    dropped: new List(dropped),
    reasons: new List(reasons),
    total_tokens: total,
    budget_tokens: packing.budgetTokens,
    strategy: packing.strategy,
    dedup: packing.dedup,
  });
}

function reasonFor(packing: Packing, { chunk, score }: ChunkScore, included: boolean): Dict {
  return Dict.of({
    chunk_id: chunk.id,
    artifact_id: chunk.artifactId,
    strategy: packing.strategy,
    score: new Float(score),
    included,
    reason: included ? "selected" : "budget_exceeded",
  });
}

/** One entry per artifact, in the order in which they were first packed. */
function includedArtifacts(chunks: readonly Chunk[]): Dict[] {
  const groups = Map.groupBy(chunks, ({ artifact }) => artifact);
  return [...groups].map(([artifact, own]) =>
    Dict.of({
      artifact_id: artifact.get("id") ?? null,
      artifact_kind: artifact.get("kind") ?? null,
      chunks_included: own.length,
      chunks_total: own[0]?.count ?? 0,
      tokens_included: own.reduce((sum, { tokens }) => sum + tokens, 0),
    }),
  );
}
