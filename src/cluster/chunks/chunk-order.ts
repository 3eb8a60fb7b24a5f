/** What a chunk is to do, and what came of it: the member `chunk.json` of its set file, there and back. */
import { z } from "zod";
import type { Solver } from "../../eval/engine/index.ts";
import type { SetArchive } from "../../eval/local/transfer/index.ts";
import type { SnapshotRoots } from "../../store/index.ts";
import { isJsonObject } from "../../values/index.ts";
import { JobFailed } from "../ports.ts";
import { sentByNewer } from "../run-order.ts";

const roots = z.record(z.string(), z.string());

const chunkFormat = 1;

const orderShape = z.object({
  chunk: z.literal("order"),
  format: z.literal(chunkFormat),
  /** Of the chunk: of its runs and sandboxes on the worker. */
  name: z.string().min(1),
  as: z.enum(["solver", "oracle", "nop"]),
  /** Trials beside those of the set. */
  isBeside: z.boolean(),
  /** Trials that are followed under a changed program first. */
  follow: z.array(z.int()),
  /** Where folders lie on the machine of the set. */
  roots,
});

const outcomeShape = z.object({
  chunk: z.literal("outcome"),
  format: z.literal(chunkFormat),
  state: z.enum(["done", "incomplete", "paused", "waiting", "stopped", "failed"]),
  why: z.string().nullable(),
  /** By this chunk, whoever made it. */
  spentUsd: z.number().min(0),
  tokens: z.number().min(0),
  /** What whoever runs the set should know. */
  warnings: z.array(z.string()),
  /** Where folders lie on the machine of the worker. */
  roots,
});

export type ChunkOrder = Readonly<z.infer<typeof orderShape>> & {
  readonly as: Solver;
  readonly roots: SnapshotRoots;
};
export type ChunkOutcome = Readonly<z.infer<typeof outcomeShape>>;

/** Throws a `NewerWork` for what a later version wrote, a `JobFailed` for what is no order. */
export function chunkOrderIn(archive: SetArchive): ChunkOrder {
  const json = archive.json("chunk.json");
  const found = orderShape.safeParse(json);
  if (found.success) return found.data;
  if (isJsonObject(json) && Number(json.format) > chunkFormat)
    throw sentByNewer("the chunk", `format ${Number(json.format)}`);
  throw new JobFailed(
    `the chunk says what this worker does not understand (${found.error.issues[0]?.path.join(".") ?? ""}): it was sent by another version of harn`,
  );
}

export function chunkOutcomeIn(archive: SetArchive): ChunkOutcome {
  const found = outcomeShape.safeParse(archive.json("chunk.json"));
  if (found.success) return found.data;
  throw new Error(
    `the result of a chunk says what this version of harn does not understand (${found.error.issues[0]?.path.join(".") ?? ""}): its worker runs another one`,
  );
}
