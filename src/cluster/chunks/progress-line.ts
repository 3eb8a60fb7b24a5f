/** How far a chunk is, as a line of what its job prints. */
import { parsedJson } from "../../store/index.ts";
import { isJsonObject } from "../../values/index.ts";
import type { ChunkProgress } from "./chunk-runner.ts";

export const chunkProgressLine = ({ ended, spentUsd }: ChunkProgress): string =>
  `${JSON.stringify({ chunk: "progress", ended, spent_usd: spentUsd })}\n`;

/** The newest in a text; `undefined`: it tells of none. */
export function chunkProgressIn(text: string): ChunkProgress | undefined {
  for (const line of text.trimEnd().split("\n").reverse()) {
    const json = parsedJson(line) ?? null;
    if (!isJsonObject(json) || json.chunk !== "progress") continue;
    return { ended: Number(json.ended), spentUsd: Number(json.spent_usd) };
  }
  return undefined;
}
