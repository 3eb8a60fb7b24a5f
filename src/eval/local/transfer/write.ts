/** Writes a set with its plan and journals to a file. What it holds of this machine's secrets is hidden. */
import { createHash } from "node:crypto";
import { pieceColumns, runColumns } from "../../../durable/index.ts";
import { Secrets } from "../../../effects/index.ts";
import { exportedText, version } from "../../../host/command/index.ts";
import { nodeDigest } from "../../../host/index.ts";
import { ownVariables } from "../../../process/index.ts";
import { type Store, sealOf } from "../../../store/index.ts";
import type { EvalStore, SetSpec } from "../../engine/index.ts";
import { archiveFormat, type LargeTable, largeTables, partName, sealedText } from "./layout.ts";
import { ZipWriter } from "./zip-file.ts";

/** Characters after which a member ends and the next one begins. */
const partSize = 8 * 1024 * 1024;

type SetRow = NonNullable<ReturnType<EvalStore["set"]>>;
type ArchiveRow = Readonly<Record<string, string | number | null>>;

/** Names of runs that can't be read whole, in words. */
export function writeSetFile(files: Store, store: EvalStore, set: SetRow, path: string): readonly string[] {
  const archive = new SealedArchive(path);
  const { id: _id, plan: _plan, ...own } = set;
  const tasks = store.tasks(set.id).map(withoutSet);
  const variants = store.variants(set.id).map(withoutSet);
  const head = { harn: "evaluation", format: archiveFormat, runtime: version, set: own, tasks, variants };
  archive.add("set.json", JSON.stringify(head));
  const pieces = new Set<number>();
  const hidden = hiddenPieces(store);
  for (const table of largeTables) {
    const part = new Parts(archive, table);
    for (const row of rowsOf(store, set.id, table)) part.add(carried(files, table, row, hidden, pieces));
    part.close();
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
  if (plan !== "") missing.push(...addJournal(files, journals, plan, null));
  for (const { id } of store.trials(set.id))
    for (const run of files.runs.ofTrial(id)) missing.push(...addJournal(files, journals, run, id));
  journals.close();
  archive.close();
  return missing;
}

const withoutSet = ({ eval_set: _set, ...row }: { readonly eval_set: number }): object => row;

function rowsOf(store: EvalStore, set: number, table: LargeTable): Iterable<ArchiveRow> {
  const trials = (): readonly number[] => store.trials(set).map(({ id }) => id);
  const rows = {
    eval_sample: () => store.samples(set),
    eval_trial: () => store.trials(set),
    eval_attempt: () => trials().flatMap((trial) => store.attempts(trial)),
    eval_score: () => store.scores(set),
    eval_label: () => store.labels(new Set(trials())),
    eval_limit: () => store.limits(set),
  }[table]();
  return rows as unknown as Iterable<ArchiveRow>;
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
  hidden: PieceRedaction,
  pieces: Set<number>,
): ArchiveRow {
  const { eval_set: _set, ...own } = row;
  const piece = pieceColumns[table];
  const run = runColumns[table];
  const changed: Record<string, string | number | null> = { ...own };
  if (piece !== undefined && typeof own[piece] === "number") {
    pieces.add(own[piece]);
    changed[piece] = hidden(own[piece]).hash;
  }
  if (run !== undefined && typeof own[run] === "number") changed[run] = files.runs.nameOf(own[run]) ?? null;
  return changed;
}

/** What is damaged of it is left out, and named. */
function addJournal(files: Store, part: Parts, name: string, trial: number | null): string[] {
  const summary = files.runs.find(name);
  if (summary === undefined) return [`the run ${name} is gone`];
  const { journal, damage } = files.runs.readable(name);
  const missing = damage === undefined ? [] : [`${name}: ${damage.message}`];
  part.add({ t: "journal", name, trial, parent: summary.parent ?? null, shown: journal.shown ?? 0 });
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
  private readonly zip: ZipWriter;
  private readonly members: (readonly [string, string])[] = [];

  constructor(path: string) {
    this.zip = new ZipWriter(path);
  }

  add(name: string, clear: string): void {
    const text = exportedText(clear);
    this.members.push([name, createHash("sha256").update(text).digest("hex")]);
    this.zip.add(name, text);
  }

  close(): void {
    this.zip.add("seal.json", JSON.stringify(sealOf(sealedText(this.members))));
    this.zip.close();
  }
}
