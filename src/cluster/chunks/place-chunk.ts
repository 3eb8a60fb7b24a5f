/**
 * A chunk on its way into a folder of its worker: a store of its own, in which the trials, the run that made their tasks, what earlier
 * attempts did and the files of sandboxes and tests lie. `performChunk` does the rest, in a child.
 *
 * The folder is the chunk's: a further attempt on the same machine finds the sandboxes there, whose names are those of their runs. The
 * store is made anew each time, for the database knows better how far the runs are.
 */
import { existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import {
  type EvalStore,
  plannedTrials,
  type SetSpec,
  SpentBefore,
  type SpentMoney,
} from "../../eval/engine/index.ts";
import { evalStoreOf } from "../../eval/local/index.ts";
import { placeCarried, placeSetPart, placeSources, SetArchive } from "../../eval/local/transfer/index.ts";
import { ImportProblem } from "../../eval/report/index.ts";
import type { CarriedRun } from "../../store/copies/index.ts";
import { movesBetween, openStore, type SnapshotRoots, storeFile } from "../../store/index.ts";
import type { Json } from "../../values/index.ts";
import { JobFailed, NewerWork } from "../ports.ts";
import { type ChunkOrder, chunkOrderIn } from "./chunk-order.ts";

/** What the child finds in the store of a chunk. */
export interface ChunkAtHand extends Pick<ChunkOrder, "name" | "as" | "isBeside" | "follow"> {
  /** Names that runs have where the set is, by those that they have here. */
  readonly names: readonly (readonly [here: string, there: string])[];
  /** Where files of sandboxes and tests lie here, by where they lay, or would lie with the project of this machine. */
  readonly sources: readonly (readonly [path: string, place: string])[];
  /** What was spent on its trials before they were handed out. */
  readonly before: SpentMoney<number>;
  /** US dollars that may be spent on them, those before included. */
  readonly costUsd: number | null;
}

const space = "chunk";
const key = "order";

export function chunkAtHand(files: ReturnType<typeof openStore>): ChunkAtHand {
  const found = files.entries.get(space, key);
  if (found === undefined) throw new Error(`${files.folder} holds no chunk`);
  return found as unknown as ChunkAtHand;
}

interface ChunkToPlace {
  readonly name: string;
  /** A set file. */
  readonly file: Uint8Array;
  /** Journals of its trials, as earlier attempts left them. */
  readonly runs: readonly CarriedRun[];
  /** Names of secrets in files of its sandboxes become what this machine has under them. */
  readonly mayReveal: boolean;
}

/** Where folders lie on this machine: `roots`. Throws a `JobFailed` for what can't be done, a `NewerWork` for what only others can. */
export function placeChunk(chunk: ChunkToPlace, folder: string, roots: SnapshotRoots): void {
  removeStore(folder);
  const files = openStore(folder);
  try {
    const archive = new SetArchive(chunk.file);
    const order = chunkOrderIn(archive);
    if (order.name !== chunk.name)
      throw new JobFailed(`the chunk ${chunk.name} holds the chunk ${order.name}`);
    const store = evalStoreOf(files);
    const moves = movesBetween(order.roots, roots);
    const names = placeSetPart(files, store, archive, { runs: order.name, moves });
    const sources = placeSources(archive, join(folder, sourcesFolder), chunk.mayReveal);
    // The task says where it lay; the program, which lies elsewhere here, looks for it beside itself.
    const knownAs = (path: string): string[] => [
      path,
      ...moves.flatMap(([from, to]) => (path.startsWith(`${from}/`) ? [to + path.slice(from.length)] : [])),
    ];
    const [set] = store.sets();
    if (set === undefined) throw new JobFailed("the chunk has no set");
    const before = spentOn(store, order);
    const trials = new Set(store.trials(set.id).map(({ id }) => id));
    placeCarried(files, store, chunk.runs, { set: set.name, from: order.name, to: order.name, trials });
    const spec = JSON.parse(set.spec) as SetSpec;
    const { costUsd, tokens } = spec.options;
    const limits = {
      costUsd: costUsd === null ? null : costUsd + before.costUsd,
      tokens: tokens === null ? null : tokens + before.tokens,
    };
    store.changeSet(set, { spec: JSON.stringify({ ...spec, options: { ...spec.options, ...limits } }) });
    const { as, isBeside, follow, name } = order;
    const atHand: ChunkAtHand = {
      name,
      as,
      isBeside,
      follow,
      names: [...names],
      sources: [...sources].flatMap(([path, place]) => knownAs(path).map((name) => [name, place] as const)),
      before,
      costUsd: limits.costUsd,
    };
    files.entries.set(space, key, atHand as unknown as Json);
  } catch (error) {
    if (!(error instanceof ImportProblem)) throw error;
    const words = `the file of the chunk: ${error.message}`;
    throw error.isNewer ? new NewerWork(words) : new JobFailed(words);
  } finally {
    files.close();
  }
}

const sourcesFolder = "sources";

/** On the trials of the store of a chunk, whoever spent it. */
export function spentOn(store: EvalStore, { isBeside }: Pick<ChunkOrder, "isBeside">): SpentMoney<number> {
  const [set] = store.sets();
  if (set === undefined) return { costUsd: 0, tokens: 0 };
  const trials = plannedTrials(store, set, isBeside ? "oracle" : "epoch");
  return new SpentBefore(store, set, trials, store.scores(set.id), !isBeside);
}

function removeStore(folder: string): void {
  rmSync(join(folder, sourcesFolder), { recursive: true, force: true });
  if (!existsSync(folder)) return;
  for (const name of readdirSync(folder))
    if (name.startsWith(storeFile) || name === resultFile) rmSync(join(folder, name), { force: true });
}

/** What a child leaves in the folder of its chunk. */
export const resultFile = "result.harneval";
