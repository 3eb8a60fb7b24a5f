/** A job as the database has it, with its runs moved to where the folders lie here. What is read is looked at before it is used. */
import { crc32 } from "node:zlib";
import { JournalProblem, type JournalRecord } from "../../effects/index.ts";
import { type CarriedRun, movedHere, rootsWith } from "../../store/copies/index.ts";
import type { SnapshotRoots } from "../../store/index.ts";
import type { AskSql, DatabaseRow } from "./connections.ts";
import type { Statements } from "./statements.ts";

/** Where folders lay, by the fence of whoever wrote; `here`: where they lie here, with those that others have named. */
export async function storedPlaces(
  ask: AskSql,
  sql: Statements,
  job: string,
  own: SnapshotRoots,
): Promise<{ readonly byFence: ReadonlyMap<number, SnapshotRoots>; readonly here: SnapshotRoots }> {
  const byFence = new Map<number, SnapshotRoots>();
  for (const { fence, roots } of await ask(sql.attempts, [job]))
    byFence.set(Number(fence), rootsIn(String(roots)));
  return { byFence, here: rootsWith(own, [...byFence.values()]) };
}

/** The runs of a job, as `ask` sees them at one moment. */
export async function storedRuns(
  ask: AskSql,
  sql: Statements,
  job: string,
  own: SnapshotRoots,
): Promise<readonly CarriedRun[]> {
  const { byFence: places, here } = await storedPlaces(ask, sql, job, own);
  const found = await ask(sql.runs, [job]);
  const records = Map.groupBy(await ask(sql.records, [job]), ({ run }) => String(run));
  const bodies = new Map(
    (await ask(sql.pieces, [job])).map(({ hash, body }) => [columnHex(hash), columnText(body)]),
  );
  const uses = Map.groupBy(await ask(sql.pieceUses, [job]), ({ run }) => String(run));
  return found.map((row) => {
    const name = String(row.name);
    const hashes = (uses.get(name) ?? []).map(({ hash }) => columnHex(hash));
    const written = {
      run: name,
      header: { text: columnText(row.header), roots: rootsOfRow(row, places) },
      records: soundTexts(name, records.get(name) ?? []).map(({ text, row }) => ({
        text,
        roots: rootsOfRow(row, places),
      })),
      pieces: new Map(hashes.map((hash) => [hash, bodies.get(hash) ?? ""])),
      parent: typeof row.parent === "string" ? row.parent : undefined,
      shown: Number(row.shown),
    };
    return movedHere(written, here);
  });
}

/** Bodies in their order, none missing and each what was written. */
function soundTexts(
  run: string,
  rows: readonly DatabaseRow[],
): { readonly text: string; readonly row: DatabaseRow }[] {
  return rows.map((row, at) => {
    const body = row.body as Uint8Array;
    if (row.seq !== at || (crc32(body) | 0) !== row.crc) throw damagedCopy(run, at);
    return { text: columnText(body), row };
  });
}

const damagedCopy = (run: string, record: number): JournalProblem =>
  new JournalProblem(
    "unreadable",
    `the copy of the run ${run} in the database is damaged at record ${record}`,
    ["what was written there is not there any more; who has begun the run has its beginning"],
  );

function rootsOfRow(
  { fence, ...row }: DatabaseRow,
  places: ReadonlyMap<number, SnapshotRoots>,
): SnapshotRoots {
  const found = places.get(Number(fence));
  if (found !== undefined) return found;
  throw new JournalProblem(
    "unreadable",
    `of ${String(row.run ?? row.name)} it is not known who has written it`,
  );
}

/** Names of folders, as their writer told them: whoever can write there can name any. */
function rootsIn(text: string): SnapshotRoots {
  const roots: unknown = JSON.parse(text);
  const pairs = Object.entries((roots ?? {}) as object).filter(
    ([name, folder]) => /^[a-z][a-z0-9_-]*$/.test(name) && typeof folder === "string",
  );
  return Object.fromEntries(pairs) as SnapshotRoots;
}

export const columnText = (bytes: unknown): string => Buffer.from(bytes as Uint8Array).toString("utf8");
const columnHex = (bytes: unknown): string => Buffer.from(bytes as Uint8Array).toString("hex");

/** How the run that somebody brings compares with the one that is there. */
export function comparedWith(there: CarriedRun, brought: CarriedRun): "same or shorter" | "longer" | "other" {
  const texts = ({ journal }: CarriedRun): string[] =>
    journal.records.map((record: JournalRecord) => JSON.stringify(record));
  const [known, wanted] = [texts(there), texts(brought)];
  const common = Math.min(known.length, wanted.length);
  for (let at = 0; at < common; at++) if (known[at] !== wanted[at]) return "other";
  return wanted.length > known.length ? "longer" : "same or shorter";
}
