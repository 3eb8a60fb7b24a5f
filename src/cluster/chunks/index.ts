/** A set whose trials are done on workers: `runSet` with chunks in the place of this process, and the end of those that nobody follows. */
import type { EvalSetRow } from "../../durable/index.ts";
import { type EvalStore, type RunSetRequest, runSet, type SetEnd } from "../../eval/engine/index.ts";
import { chunksElsewhere, trialsAway } from "../../eval/local/index.ts";
import { countedText } from "../../eval/report/index.ts";
import { UsageError } from "../../host/command/index.ts";
import type { Store } from "../../store/index.ts";
import { ChunkDispatch, type ChunkDispatchOptions } from "./chunk-dispatch.ts";
import { takeChunk } from "./take-chunk.ts";

export { EngineChunks } from "./engine-chunks.ts";

export type ChunkPorts = Pick<ChunkDispatchOptions, "runner" | "newId" | "roots">;

/** The caller holds the set's lease. */
export async function runInChunks(request: RunSetRequest, ports: ChunkPorts): Promise<SetEnd> {
  const { store } = request.runs;
  const files = store.operations.store;
  const executor = new ChunkDispatch({ ...ports, files, store, request });
  const end = await runSet({ ...request, executor });
  const away = trialsAway(chunksElsewhere(files, end.set.id));
  if (away === 0 || end.state !== "stopped" || request.beside !== undefined) return end;
  const why = `${countedText(away, "trial")} ${away === 1 ? "goes" : "go"} on on workers`;
  return { ...end, why, set: store.changeSet(end.set, { why }) };
}

/** Ends the chunks of a set that nobody follows, and takes in what was done; gives how many trials were away. The caller holds its lease. */
export async function stopChunks(
  files: Store,
  store: EvalStore,
  set: EvalSetRow,
  { runner, roots }: Pick<ChunkPorts, "runner" | "roots">,
): Promise<number> {
  const notes = chunksElsewhere(files, set.id);
  const { signal } = new AbortController();
  const problems: string[] = [];
  await Promise.all(
    notes.map(async (note) => {
      await runner.stop(note.name, "harn eval stop");
      const end = await runner.ended(note.name, { signal, onProgress: () => {} });
      const taken = takeChunk(files, store, { set, note, end, roots });
      if (taken.kind === "failed") problems.push(taken.why);
    }),
  );
  const [problem] = problems;
  if (problem !== undefined) throw new UsageError(problem);
  return trialsAway(notes);
}
