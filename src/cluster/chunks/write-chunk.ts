/** The set file of a chunk that is handed out: some trials, the run that made their tasks, and what they need besides. */
import type { EvalDrawRow, EvalSetRow } from "../../durable/index.ts";
import type { EvalStore, PlannedTrial, SetOptions, SetSpec } from "../../eval/engine/index.ts";
import type { ChunkNote } from "../../eval/local/index.ts";
import { setPartFile, sourcesOfTrials } from "../../eval/local/transfer/index.ts";
import { countedText } from "../../eval/report/index.ts";
import type { SnapshotRoots, Store } from "../../store/index.ts";
import type { ChunkOrder } from "./chunk-order.ts";

interface WrittenChunk {
  readonly set: EvalSetRow;
  readonly note: ChunkNote;
  readonly trials: readonly PlannedTrial[];
  readonly isBeside: boolean;
  readonly follow: ReadonlySet<number>;
  readonly roots: SnapshotRoots;
  readonly onWarning: (text: string) => void;
}

/** Kept answers that travel with a chunk: characters. */
const maxDraws = 8 * 1024 * 1024;
/** How long calls in flight may take to end when it is stopped: a worker kills what has not ended soon. */
const graceMs = 1000;

export function chunkFile(files: Store, store: EvalStore, chunk: WrittenChunk): Uint8Array {
  const { set, note, trials, isBeside, follow, roots } = chunk;
  const spec = JSON.parse(set.spec) as SetSpec;
  const options: SetOptions = {
    ...spec.options,
    costUsd: note.costUsd,
    tokens: note.tokens,
    connections: note.connections,
    timeMs: null,
    graceMs: Math.min(spec.options.graceMs ?? graceMs, graceMs),
  };
  const order: ChunkOrder = {
    chunk: "order",
    format: 1,
    name: note.name,
    as: note.as,
    isBeside,
    follow: note.trials.filter((trial) => follow.has(trial)),
    roots: { ...roots },
  };
  return setPartFile(
    files,
    store,
    { ...set, spec: JSON.stringify({ ...spec, options }) },
    {
      trials: note.trials,
      isResult: false,
      draws: drawsFor(store, trials, options, chunk.onWarning),
      sources: sourcesOfTrials(trials, note.as),
      chunk: order,
    },
  );
}

/** Kept answers of models, where the set or a task of these trials asks for them: the newest, as far as they have room. */
function drawsFor(
  store: EvalStore,
  trials: readonly PlannedTrial[],
  { cache }: SetOptions,
  onWarning: (text: string) => void,
): EvalDrawRow[] {
  if (cache === null && trials.every(({ spec }) => (spec.cache ?? null) === null)) return [];
  const all = store.draws();
  const taken: EvalDrawRow[] = [];
  let size = 0;
  for (const draw of all) {
    size += store.piece(draw.result)?.length ?? 0;
    if (size > maxDraws) break;
    taken.push(draw);
  }
  if (taken.length < all.length)
    onWarning(
      `only the newest ${taken.length} of ${countedText(all.length, "kept answer")} go to the workers with each chunk, at most ${maxDraws / 1024 / 1024} MiB: what else was kept is asked again there`,
    );
  return taken;
}
