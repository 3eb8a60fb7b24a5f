/** The database of journals at work, for senders and workers (`Journals`). */
import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import type { Client } from "pg";
import { JournalProblem, validRecords } from "../../effects/index.ts";
import { type CarriedRun, rootsOfRuns, writesOf } from "../../store/copies/index.ts";
import { type SnapshotRoots, StoreError } from "../../store/index.ts";
import type { Json } from "../../values/index.ts";
import {
  JobFailed,
  type JobGoods,
  type JobKind,
  type JobOrder,
  type JobResult,
  type Journals,
  maxDeaths,
  type OutputPiece,
  type TakenJob,
  type UnfinishedJob,
} from "../ports.ts";
import { WriteBatch } from "./batch.ts";
import { StopBell, type StopListener } from "./bell.ts";
import { checkedDatabase } from "./check.ts";
import { askPostgres, errorWords } from "./connection.ts";
import { type AskSql, Connections, type DatabaseRow } from "./connections.ts";
import { databaseRefuses, type ProjectPlace } from "./place.ts";
import {
  migrationSteps,
  type SqlStatement,
  type Statements,
  statements,
  tablesVersion,
} from "./statements.ts";
import { columnText, comparedWith, storedPlaces, storedRuns } from "./stored-job.ts";

/** What ended so long ago goes when something new is put: whoever wanted it has it. */
const retainedMs = 7 * 86_400_000;

export interface JournalsOptions {
  /** Where the folders of this machine lie by name. */
  readonly roots: SnapshotRoots;
  /** How long it is asked again while the database is away. */
  readonly patienceMs: number;
  /** Between two looks whether a job is to stop. */
  readonly lookMs: number;
}

type FetchedJob = NonNullable<Awaited<ReturnType<Journals["fetch"]>>>;

export class DatabaseJournals implements Journals {
  private readonly place: ProjectPlace;
  private readonly roots: SnapshotRoots;
  private readonly connections: Connections;
  private readonly sql: Statements;
  private readonly bell: StopBell;
  /** What attempts here have left and could not say. */
  private readonly unsaid = new Set<readonly [leave: SqlStatement, values: readonly unknown[]]>();

  constructor(place: ProjectPlace, { roots, patienceMs, lookMs }: JournalsOptions) {
    this.place = place;
    this.roots = roots;
    this.connections = new Connections(place.place, patienceMs);
    this.sql = statements(place.schema);
    const held = (names: readonly string[], fences: readonly number[]): Promise<readonly DatabaseRow[]> =>
      this.connections.ask(this.sql.held, [names, fences]);
    this.bell = new StopBell({ place: place.place, listen: this.sql.listen, held, lookMs });
  }

  /** Makes the tables. */
  async begin(): Promise<void> {
    await this.connections.atOnce((client) => madeTables(client, this.place, this.sql));
  }

  async put(goods: JobGoods): Promise<void> {
    await this.removeEnded(retainedMs);
    await this.connections.transaction((ask) => this.putIn(ask, goods));
  }

  private async putIn(ask: AskSql, goods: JobGoods): Promise<void> {
    const { sql } = this;
    const { name, kind, runs, answers, order, file } = goods;
    await ask(sql.newJob, [name, kind]);
    const [job] = await ask(sql.lockedJob, [name]);
    const there = await storedRuns(ask, sql, name, this.roots);
    const known = new Map(there.map((run) => [run.journal.header.run, run]));
    const changed = runs.filter((run) => isChanged(known.get(run.journal.header.run), run));
    // One that is at work already is meant, and goes on.
    if (job?.fence === 0 || job?.ended !== null || changed.length > 0)
      await this.writeAsSender(ask, name, changed, { known, runs, mayReplace: job?.closed === true });
    const all = { ...(JSON.parse(String(job?.answers ?? "{}")) as object), ...answers };
    const records = runs.reduce((sum, { journal }) => sum + validRecords(journal.records).length, 0);
    const jobOrder = order === undefined ? null : JSON.stringify(order);
    const body = file === undefined ? null : Buffer.from(file);
    await ask(sql.orderJob, [name, JSON.stringify(all), jobOrder, body, records], body?.length);
  }

  /** The runs that the database lacks, or has otherwise, under a fence of this machine's own. */
  private async writeAsSender(
    ask: AskSql,
    job: string,
    changed: readonly CarriedRun[],
    { known, runs, mayReplace }: PutRuns,
  ): Promise<void> {
    const { sql } = this;
    const fence = Number((await ask(sql.raiseJob, [job]))[0]?.fence);
    const roots = rootsOfRuns(runs, this.roots);
    await ask(sql.newAttempt, [job, fence, hostname(), JSON.stringify(roots)]);
    for (const run of changed) {
      const { header } = run.journal;
      const there = known.get(header.run);
      const isBeginning = there !== undefined && comparedWith(there, run) === "longer";
      if (there !== undefined && !isBeginning && !mayReplace) throw otherCopy(header.run);
      if (there !== undefined && !isBeginning)
        for (const drop of [sql.dropRecords, sql.dropUses, sql.dropRuns]) await ask(drop, [[header.run]]);
      for (const write of writesOf(run, isBeginning ? there.journal.records.length : 0)) {
        const batch = new WriteBatch();
        batch.add(write);
        const { statement, values } = batch.addedBy(sql, { job, fence, isDurable: true });
        const [row] = await ask(statement, values, batch.bytes);
        if (row?.held !== 1)
          throw new StoreError(
            "exists",
            `there is a run ${header.run} in the database already, of another job`,
          );
      }
    }
  }

  async take(name: string, worker: string): Promise<TakenJob> {
    // Else it would count as a death.
    await this.sayLeaves();
    const mark = `${worker} ${randomUUID()}`;
    try {
      return await this.taken(name, mark);
    } catch (error) {
      // The database was away: nobody knows what of it is committed.
      if (!(error instanceof StoreError)) this.unsaid.add([this.sql.leaveTaken, [name, mark]]);
      throw error;
    }
  }

  private async taken(name: string, mark: string): Promise<TakenJob> {
    const { sql } = this;
    // Committed before anything is read: from here on nobody else adds to it.
    let tries = 0;
    const { kind, fence, untold } = await this.connections.transaction(async (ask) => {
      const again = tries++ > 0 ? (await ask(sql.ownAttempt, [name, mark]))[0] : undefined;
      return again === undefined ? await this.takeIn(ask, name, mark) : takenRow(again);
    });
    const attempt = { fence, isAbandoned: untold > 0 };
    const unread = (unreadable: unknown): TakenJob => ({ name, kind, runs: [], ...attempt, unreadable });
    if (untold >= maxDeaths) return unread(diesUnread(untold));
    try {
      const found = await this.connections.transaction((ask) => this.read(ask, name));
      if (found === undefined || found.fence !== fence)
        throw new StoreError("taken", `the job ${name} was taken by another worker at the same time`);
      const { stop, goods } = found;
      this.bell.hold(name, fence, stop !== undefined);
      return { ...goods, ...attempt, stop };
    } catch (error) {
      const isItsOwn =
        error instanceof StoreError ? error.fault !== "taken" : error instanceof JournalProblem;
      if (isItsOwn) return unread(error);
      throw error;
    }
  }

  private async takeIn(ask: AskSql, name: string, mark: string): Promise<ReturnType<typeof takenRow>> {
    const { sql } = this;
    const version = Number((await ask(sql.version))[0]?.version);
    if (version > tablesVersion) throw new StoreError("newer", newerTables(this.place, version).text);
    const [row] = await ask(sql.takeJob, [name]);
    if (row === undefined)
      throw new StoreError("missing", `there is no job ${name} in the database that could be done`, [
        "it is back with its sender, was never put there, or ended long ago and was removed",
      ]);
    const taken = takenRow(row);
    const roots = (await storedPlaces(ask, sql, name, this.roots)).here;
    await ask(sql.newAttempt, [name, taken.fence, mark, JSON.stringify(roots)]);
    return taken;
  }

  private async sayLeaves(): Promise<void> {
    for (const leave of this.unsaid) {
      await this.connections.ask(...leave);
      this.unsaid.delete(leave);
    }
  }

  async fetch(name: string): Promise<FetchedJob | undefined> {
    return (await this.connections.transaction((ask) => this.read(ask, name)))?.goods;
  }

  private async read(
    ask: AskSql,
    name: string,
  ): Promise<
    { readonly fence: number; readonly stop: string | undefined; readonly goods: FetchedJob } | undefined
  > {
    const { sql } = this;
    await ask(sql.atOneMoment);
    const [job] = await ask(sql.job, [name]);
    if (job === undefined) return undefined;
    const runs = await storedRuns(ask, sql, name, this.roots);
    const goods: FetchedJob = {
      name,
      kind: job.kind as JobKind,
      answers: (columnJson(job.answers) ?? {}) as Readonly<Record<string, Json>>,
      order: columnJson(job.job_order) as JobOrder | undefined,
      runs,
      ...(job.file === null ? {} : { file: columnBytes(job.file) }),
      ...(job.result === null ? {} : { result: columnBytes(job.result) }),
    };
    return { fence: Number(job.fence), stop: columnJson(job.stop) as string | undefined, goods };
  }

  async output(name: string, after: number): Promise<readonly OutputPiece[]> {
    const rows = await this.connections.ask(this.sql.output, [name, after]);
    return rows.map(({ at, stream, body }) => ({
      at: Number(at),
      stream: stream as OutputPiece["stream"],
      text: columnText(body),
    }));
  }

  async end(
    name: string,
    fence: number,
    { exitCode, records, result }: JobResult & { readonly result?: Uint8Array },
  ): Promise<void> {
    const body = result === undefined ? null : Buffer.from(result);
    this.bell.drop(name, fence);
    const { length } = await this.connections.ask(
      this.sql.endJob,
      [name, fence, exitCode, records, body],
      body?.length,
    );
    if (length === 0) throw jobTakenOver(name);
  }

  async closeJob(name: string): Promise<void> {
    await this.connections.ask(this.sql.closeJob, [name]);
  }

  async leave(name: string, fence: number): Promise<void> {
    this.bell.drop(name, fence);
    this.unsaid.add([this.sql.leaveJob, [name, fence]]);
    await this.sayLeaves();
  }

  async died(name: string, records: number): Promise<number> {
    const [row] = await this.connections.ask(this.sql.jobDied, [name, records]);
    return Number(row?.deaths ?? 0);
  }

  async stop(name: string, reason: string): Promise<void> {
    await this.connections.ask(this.sql.stopJob, [name, JSON.stringify(reason)]);
    await this.connections.ask(this.sql.ring, [this.place.schema, name]);
  }

  onStop(listener: StopListener): () => void {
    return this.bell.listen(listener);
  }

  async unfinished(): Promise<readonly UnfinishedJob[]> {
    return (await this.connections.ask(this.sql.unfinished)).map((row) => ({
      name: String(row.name),
      kind: row.kind as JobKind,
      began: row.began as Date,
      order: columnJson(row.job_order) as JobOrder | undefined,
    }));
  }

  async removeEnded(olderThanMs: number): Promise<number> {
    for (let removed = 0; ; ) {
      const some = await this.connections.transaction((ask) => this.removeSome(ask, olderThanMs));
      if (some === 0) return removed;
      removed += some;
    }
  }

  private async removeSome(ask: AskSql, olderThanMs: number): Promise<number> {
    const { sql } = this;
    const jobs = namesIn(await ask(sql.endedJobs, [olderThanMs]));
    if (jobs.length === 0) return 0;
    const runs = namesIn(await ask(sql.runsOfJobs, [jobs]));
    for (const drop of [sql.dropRecords, sql.dropUses]) await ask(drop, [runs]);
    for (const drop of [sql.dropOutput, sql.dropJobs]) await ask(drop, [jobs]);
    await ask(sql.dropPieces);
    return jobs.length;
  }

  async check(): Promise<readonly string[]> {
    return await this.connections.atOnce((client) => checkedDatabase(client, this.place, this.sql));
  }

  async close(): Promise<void> {
    this.bell.close();
    await this.connections.close();
  }
}

/** What a job has begun with, beside what its sender brings. */
interface PutRuns {
  readonly known: ReadonlyMap<string, CarriedRun>;
  readonly runs: readonly CarriedRun[];
  /** The sender has all that was done. */
  readonly mayReplace: boolean;
}

const otherCopy = (run: string): StoreError =>
  new StoreError("exists", `the run ${run} is in the database already, and goes another way than here`, [
    `what it did there may be nowhere else; \`harn runs stop ${run}\` brings it back`,
  ]);

const takenRow = (row: DatabaseRow) => ({
  kind: row.kind as JobKind,
  fence: Number(row.fence),
  untold: Number(row.untold),
});

const diesUnread = (untold: number): JobFailed =>
  new JobFailed(
    `the last ${untold} workers that took it were gone before they had read it: it may be more than fits in their memory`,
  );

const newerTables = ({ place, schema }: ProjectPlace, there: number) =>
  databaseRefuses(
    place,
    `its tables (${schema}) have version ${there}, this harn works with ${tablesVersion}\n  use the newer harn on this machine, too`,
  );

const jobTakenOver = (name: string): StoreError =>
  new StoreError("taken", `the job ${name} was taken over by another worker; this one stops`);

const namesIn = (rows: readonly DatabaseRow[]): string[] => rows.map(({ name }) => String(name));
const columnJson = (text: unknown): unknown => (typeof text === "string" ? JSON.parse(text) : undefined);
const columnBytes = (column: unknown): Uint8Array => new Uint8Array(column as Uint8Array);

const isChanged = (there: CarriedRun | undefined, run: CarriedRun): boolean =>
  there === undefined || comparedWith(there, run) !== "same or shorter";

/** The oldest PostgreSQL that its makers still mend. */
const oldestServer = 140_000;

/** Makes the tables of a project where there are none, and brings those of an earlier version to this one. */
async function madeTables(client: Client, { place, schema }: ProjectPlace, sql: Statements): Promise<void> {
  await mustBeUsable(client, place, sql);
  if ((await versionThere(client, schema, sql)) === tablesVersion) return;
  await client.query("BEGIN");
  try {
    await askPostgres(client, sql.alone, [schema]);
    const there = await versionThere(client, schema, sql);
    if (there > tablesVersion) throw newerTables({ place, schema }, there);
    for (const step of migrationSteps(schema, there)) await client.query(step);
    await client.query("COMMIT");
  } catch (error) {
    await client.query("ROLLBACK").catch(() => {});
    throw lacksPrivilege(error) ? tablesDenied(place, schema, errorWords(error, place)) : error;
  }
}

/** 0: there are none. */
async function versionThere(client: Client, schema: string, sql: Statements): Promise<number> {
  const [found] = (await askPostgres(client, sql.isMade, [schema])).rows;
  if (found?.made !== true) return 0;
  return Number((await askPostgres(client, sql.version)).rows[0]?.version);
}

async function mustBeUsable(client: Client, place: ProjectPlace["place"], sql: Statements): Promise<void> {
  const { number, version, encoding } = (await askPostgres(client, sql.server)).rows[0];
  if (number < oldestServer)
    throw databaseRefuses(place, `it is PostgreSQL ${version}, and 14 or newer is needed`);
  if (encoding === "UTF8") return;
  throw databaseRefuses(
    place,
    `its encoding is ${encoding}, and names of runs may hold any character\n  make one with CREATE DATABASE … ENCODING 'UTF8' TEMPLATE template0`,
  );
}

const lacksPrivilege = (error: unknown): boolean =>
  (error as { readonly code?: unknown } | null)?.code === "42501";

const tablesDenied = (place: ProjectPlace["place"], schema: string, words: string) =>
  databaseRefuses(
    place,
    `${words}\n  its owner lets ${place.user} make the tables: GRANT CREATE ON DATABASE ${place.database} TO ${place.user};\n  or makes their place: CREATE SCHEMA "${schema}" AUTHORIZATION ${place.user};`,
  );
