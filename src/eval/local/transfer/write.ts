/** Writes a set with its plan and journals to a file. What it holds of this machine's secrets is hidden. */
import { createHash } from "node:crypto";
import {
  type EvalDrawRow,
  type EvalTables,
  type EvalTaskRow,
  type EvalVariantRow,
  pieceColumns,
  runColumns,
} from "../../../durable/index.ts";
import { Secrets } from "../../../effects/index.ts";
import { exportedText, version } from "../../../host/command/index.ts";
import { nodeDigest } from "../../../host/index.ts";
import { ownVariables } from "../../../process/index.ts";
import { type Store, sealOf } from "../../../store/index.ts";
import type { Json } from "../../../values/index.ts";
import type { EvalStore, SetSpec } from "../../engine/index.ts";
import { archiveFormat, type LargeTable, largeTables, partName, sealedText } from "./layout.ts";
import { packedSources } from "./sources.ts";
import { ZipBytes, ZipWriter } from "./zip-file.ts";

/** What of a set is written; the rest, and what only that refers to, is left out. */
export interface SetPart {
  /** Numbers of trials. */
  readonly trials: readonly number[];
  /** It goes back to where the set is: without the run that made its tasks, with the limits of providers that were met. */
  readonly isResult: boolean;
  /** Names that runs have in the file, by those that they have here. */
  readonly names?: ReadonlyMap<string, string>;
  readonly draws: readonly EvalDrawRow[];
  /** Absolute paths of files and folders that come along. */
  readonly sources: readonly string[];
  /** JSON, in a member of its own. */
  readonly chunk: Json;
}

/** Characters after which a member ends and the next one begins. */
const partSize = 8 * 1024 * 1024;

type SetRow = NonNullable<ReturnType<EvalStore["set"]>>;
type ArchiveRow = Readonly<Record<string, string | number | null>>;

/** Names of runs that can't be read whole, in words. */
export const writeSetFile = (files: Store, store: EvalStore, set: SetRow, path: string): readonly string[] =>
  writeArchive(files, store, set, new SealedArchive(new ZipWriter(path)));

/** A part of a set as the bytes of such a file. */
export function setPartFile(files: Store, store: EvalStore, set: SetRow, part: SetPart): Uint8Array {
  const zip = new ZipBytes();
  writeArchive(files, store, set, new SealedArchive(zip), part);
  return zip.bytes();
}

function writeArchive(
  files: Store,
  store: EvalStore,
  set: SetRow,
  archive: SealedArchive,
  part?: SetPart,
): readonly string[] {
  const sources = part === undefined ? undefined : packedSources(part.sources);
  const { id: _id, plan: _plan, ...own } = set;
  const rows = part === undefined ? wholeSet(store, set.id) : partOfSet(store, set.id, part);
  const named = (run: string): string => part?.names?.get(run) ?? run;
  const tasks = rows.tasks.map(withoutSet);
  const variants = rows.variants.map(withoutSet);
  const head = { harn: "evaluation", format: archiveFormat, runtime: version, set: own, tasks, variants };
  archive.add("set.json", JSON.stringify(head));
  const pieces = new Set<number>();
  const hidden = hiddenPieces(store);
  for (const table of largeTables) {
    const lines = new Parts(archive, table);
    for (const row of rows[table]() as unknown as Iterable<ArchiveRow>)
      lines.add(carried(files, table, row, { hidden, pieces, named }));
    lines.close();
  }
  const texts = new Parts(archive, "pieces");
  const kept = new Set<string>();
  for (const id of pieces) {
    const { hash, text } = hidden(id);
    if (kept.has(hash)) continue;
    kept.add(hash);
    texts.add({ hash, text });
  }
  texts.close();
  const journals = new Parts(archive, "journals");
  const missing: string[] = [];
  const { plan } = JSON.parse(set.spec) as SetSpec;
  const add = (run: string, trial: number | null): number =>
    missing.push(...addJournal(files, journals, run, { trial, named, withQuestions: part !== undefined }));
  if (plan !== "" && part?.isResult !== true) add(plan, null);
  for (const { id } of rows.eval_trial()) for (const run of files.runs.ofTrial(id)) add(run, id);
  journals.close();
  if (part !== undefined) archive.add("chunk.json", JSON.stringify(part.chunk));
  if (sources !== undefined && sources.sources.length > 0) {
    archive.add("sources.json", JSON.stringify(sources.sources));
    for (const [hash, content] of sources.contents) archive.addBytes(`sources/${hash}`, content);
  }
  archive.close();
  return missing;
}

const withoutSet = ({ eval_set: _set, ...row }: { readonly eval_set: number }): object => row;

type SetRows = { readonly [T in LargeTable]: () => readonly EvalTables[T][] } & {
  readonly tasks: readonly EvalTaskRow[];
  readonly variants: readonly EvalVariantRow[];
};

function wholeSet(store: EvalStore, set: number): SetRows {
  const trials = (): readonly number[] => store.trials(set).map(({ id }) => id);
  return {
    tasks: store.tasks(set),
    variants: store.variants(set),
    eval_sample: () => store.samples(set),
    eval_trial: () => store.trials(set),
    eval_attempt: () => trials().flatMap((trial) => store.attempts(trial)),
    eval_score: () => store.scores(set),
    eval_label: () => store.labels(new Set(trials())),
    eval_limit: () => store.limits(set),
    eval_draw: () => [],
  };
}

/** Row by row: of a set with a million trials a chunk reads its own. What people say of them stays where the set is. */
function partOfSet(store: EvalStore, set: number, { trials: chosen, draws, isResult }: SetPart): SetRows {
  const trials = chosen.flatMap((id) => store.trial(id) ?? []);
  const samples = [...new Set(trials.map(({ sample }) => sample))].flatMap((id) => store.sample(id) ?? []);
  const tasks = new Set(samples.map(({ task }) => task));
  return {
    tasks: store.tasks(set).filter(({ id }) => tasks.has(id)),
    variants: store.variants(set).filter(({ task }) => tasks.has(task)),
    eval_sample: () => samples,
    eval_trial: () => trials,
    eval_attempt: () => trials.flatMap(({ id }) => store.attempts(id)),
    eval_score: () => trials.flatMap(({ id }) => store.scoresOf(id)),
    eval_label: () => [],
    eval_limit: () => (isResult ? store.limits(set) : []),
    eval_draw: () => draws,
  };
}

type PieceRedaction = (piece: number) => { readonly hash: string; readonly text: string };

/** Large texts as they leave this machine. */
function hiddenPieces(store: EvalStore): PieceRedaction {
  const secrets = Secrets.ofEnvironment(ownVariables());
  return (id) => {
    const text = store.piece(id) ?? "null";
    // What the engine has hidden stays as it is: a placeholder is no text.
    const hidden = secrets.size === 0 ? text : secrets.hide(secrets.revealInJson(text));
    return { hash: nodeDigest(hidden), text: hidden };
  };
}

/** A row with hashes and names in the place of numbers that mean nothing elsewhere. */
function carried(
  files: Store,
  table: LargeTable,
  row: ArchiveRow,
  {
    hidden,
    pieces,
    named,
  }: {
    readonly hidden: PieceRedaction;
    readonly pieces: Set<number>;
    readonly named: (run: string) => string;
  },
): ArchiveRow {
  const { eval_set: _set, ...own } = row;
  const piece = pieceColumns[table];
  const run = runColumns[table];
  const changed: Record<string, string | number | null> = { ...own };
  if (piece !== undefined && typeof own[piece] === "number") {
    pieces.add(own[piece]);
    changed[piece] = hidden(own[piece]).hash;
  }
  if (run !== undefined && typeof own[run] === "number") {
    const name = files.runs.nameOf(own[run]);
    changed[run] = name === undefined ? null : named(name);
  }
  return changed;
}

/** What is damaged of it is left out, and named. */
function addJournal(
  files: Store,
  part: Parts,
  name: string,
  {
    trial,
    named,
    withQuestions,
  }: {
    readonly trial: number | null;
    readonly named: (run: string) => string;
    readonly withQuestions: boolean;
  },
): string[] {
  const summary = files.runs.find(name);
  if (summary === undefined) return [`the run ${name} is gone`];
  const { journal, damage } = files.runs.readable(name);
  const missing = damage === undefined ? [] : [`${name}: ${damage.message}`];
  const questions = withQuestions ? files.runs.questions.kept(name) : [];
  part.add({
    t: "journal",
    name: named(name),
    trial,
    parent: summary.parent === undefined ? null : named(summary.parent),
    shown: journal.shown ?? 0,
    ...(questions.length === 0 ? {} : { questions }),
  });
  part.add(journal.header);
  for (const { hash, value } of files.runs.blobs(name)) {
    if (value !== undefined) part.add({ t: "blob", hash, v: value });
    else missing.push(`${name}: the piece ${hash.slice(0, 12)}… is damaged`);
  }
  for (const record of journal.records) part.add(record);
  return missing;
}

/** Lines of JSON, in members that can be read one by one. */
class Parts {
  private readonly archive: SealedArchive;
  private readonly what: string;
  private lines: string[] = [];
  private size = 0;
  private number = 0;

  constructor(archive: SealedArchive, what: string) {
    this.archive = archive;
    this.what = what;
  }

  add(line: object): void {
    const text = JSON.stringify(line);
    this.lines.push(text);
    this.size += text.length;
    if (this.size >= partSize) this.close();
  }

  close(): void {
    if (this.lines.length === 0) return;
    this.archive.add(partName(this.what, ++this.number), `${this.lines.join("\n")}\n`);
    this.lines = [];
    this.size = 0;
  }
}

class SealedArchive {
  private readonly zip: Pick<ZipWriter, "add" | "close">;
  private readonly members: (readonly [string, string])[] = [];

  constructor(zip: Pick<ZipWriter, "add" | "close">) {
    this.zip = zip;
  }

  add(name: string, clear: string): void {
    const text = exportedText(clear);
    this.members.push([name, createHash("sha256").update(text).digest("hex")]);
    this.zip.add(name, text);
  }

  /** As they are. */
  addBytes(name: string, content: Uint8Array): void {
    this.members.push([name, createHash("sha256").update(content).digest("hex")]);
    this.zip.add(name, content);
  }

  close(): void {
    this.zip.add("seal.json", JSON.stringify(sealOf(sealedText(this.members))));
    this.zip.close();
  }
}
