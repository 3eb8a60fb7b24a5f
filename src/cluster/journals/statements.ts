/**
 * All SQL of the database of journals. A project has a schema of its own:
 *
 *   about      which version of these tables it is
 *   job        what was handed out: `fence` counts its attempts and hand-overs, and only the newest may write
 *   attempt    by fence: whose it was, and where its folders lay (`roots`): records are in the paths of their writers
 *   run        the runs of a job; `fence`: whose header it is
 *   record     their journals, as `state.db` keeps them; `crc` of the body alone
 *   piece      large pieces by the hash of their content, shared by all runs; `piece_use` says by which
 *   output     what a job printed, numbered from 1
 *
 * Texts of programs are bytes: PostgreSQL's text has no NUL, and is what the database's encoding makes of it.
 */

/** Prepared under its name by each connection that uses it. */
export interface SqlStatement {
  readonly name: string;
  readonly text: string;
  /** What it gives may be large. */
  readonly isLarge: boolean;
}

/**
 * Asked once of each connection. What is told to be committed is, whatever the server's own setting says; and no statement is planned
 * anew for its values, which takes longer than the statements do.
 */
export const connectionSettings: SqlStatement = {
  name: "harn_connection",
  text: `
    SELECT set_config('plan_cache_mode', 'force_generic_plan', false), set_config('synchronous_commit',
      CASE current_setting('synchronous_commit') WHEN 'off' THEN 'on' ELSE current_setting('synchronous_commit') END, false)`,
  isLarge: false,
};

const migrations: readonly ((schema: string) => string)[] = [
  (s) => `
  CREATE TABLE ${s}.job (
    name text PRIMARY KEY,
    kind text NOT NULL,
    fence int NOT NULL,
    began timestamptz NOT NULL DEFAULT now(),
    ended timestamptz,
    exit_code int,
    records int,
    job_order text,
    answers text,
    file bytea,
    result bytea,
    stop text,
    closed_fence int NOT NULL,
    deaths int NOT NULL DEFAULT 0,
    death_records int NOT NULL DEFAULT 0
  );
  CREATE INDEX job_ended ON ${s}.job (ended);
  CREATE TABLE ${s}.attempt (
    job text NOT NULL REFERENCES ${s}.job ON DELETE CASCADE,
    fence int NOT NULL,
    worker text NOT NULL,
    roots text NOT NULL,
    began timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (job, fence)
  );
  CREATE TABLE ${s}.run (
    name text PRIMARY KEY,
    job text NOT NULL REFERENCES ${s}.job ON DELETE CASCADE,
    fence int NOT NULL,
    parent text,
    header bytea NOT NULL,
    shown int NOT NULL
  );
  CREATE INDEX run_job ON ${s}.run (job);
  CREATE TABLE ${s}.record (
    run text NOT NULL,
    seq int NOT NULL,
    fence int NOT NULL,
    body bytea NOT NULL,
    crc int NOT NULL,
    PRIMARY KEY (run, seq)
  );
  CREATE TABLE ${s}.piece (
    hash bytea PRIMARY KEY,
    body bytea NOT NULL
  );
  CREATE TABLE ${s}.piece_use (
    run text NOT NULL,
    hash bytea NOT NULL REFERENCES ${s}.piece,
    PRIMARY KEY (run, hash)
  );
  CREATE INDEX piece_used ON ${s}.piece_use (hash);
  CREATE TABLE ${s}.output (
    job text NOT NULL,
    at int NOT NULL,
    stream text NOT NULL,
    body bytea NOT NULL,
    PRIMARY KEY (job, at)
  );
  `,
];

export const tablesVersion = migrations.length;
export const tableNames = [
  "about",
  "job",
  "attempt",
  "run",
  "record",
  "piece",
  "piece_use",
  "output",
] as const;

/** Of a project; `settings.ts` sees to it that the name fits. */
export const projectSchema = (project: string): string => `harn_${project}`;

const sqlName = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** Statements of one transaction that bring the tables from a version to this one. */
export const migrationSteps = (schema: string, from: number): readonly string[] => {
  const s = sqlName(schema);
  const first = [`CREATE SCHEMA IF NOT EXISTS ${s}`, `CREATE TABLE ${s}.about (version int NOT NULL)`];
  return [
    ...(from === 0 ? [...first, `INSERT INTO ${s}.about VALUES (0)`] : []),
    ...migrations.slice(from).map((migration) => migration(s)),
    `UPDATE ${s}.about SET version = ${tablesVersion}`,
  ];
};

/**
 * Adds what runs wrote (`batch.ts`), if the job is still that fence's: everything, or nothing. `$3` are all texts one after the other,
 * the numbers say where each begins and how long it is; runs ($5) and pieces ($18) are meant by their places in the lists, from 1 on.
 * Not durable ($4): the server need not have it on its disk, but keeps the order.
 */
const appendText = (s: string, isAll: boolean): string => `
    WITH held AS MATERIALIZED (
      SELECT 1 FROM ${s}.job WHERE name = $1 AND fence = $2
        AND NOT EXISTS (SELECT 1 FROM ${s}.run WHERE name = ANY($5::text[]) AND job <> $1)
        ${isAll ? `AND NOT EXISTS (SELECT 1 FROM ${s}.run WHERE name = ANY($13::text[]) AND fence <> $2)` : ""}
        FOR SHARE),
    records AS (
      INSERT INTO ${s}.record AS old (run, seq, fence, body, crc)
      SELECT ($5::text[])[r], n, $2, substring($3::bytea FROM at FOR len), sum
      FROM held, unnest($6::int[], $7::int[], $8::int[], $9::int[], $10::int[]) AS new (r, n, at, len, sum)
      ON CONFLICT (run, seq) DO UPDATE SET body = excluded.body, crc = excluded.crc WHERE old.fence = excluded.fence
      RETURNING 1),
    seen AS (
      UPDATE ${s}.run SET shown = new.n FROM held, unnest($11::int[], $12::int[]) AS new (r, n)
      WHERE run.name = ($5::text[])[new.r])
    ${isAll ? appendMore(s) : ""}
    SELECT (SELECT count(*) FROM held)::int AS held, (SELECT count(*) FROM records)::int AS records,
      set_config('synchronous_commit', CASE WHEN $4::boolean THEN current_setting('synchronous_commit') ELSE 'off' END, true)`;

/** It is back with its sender: nobody else may take it. An end that an attempt has noted has an exit code. */
const isClosed = "(ended IS NOT NULL AND exit_code IS NULL)";

const appendMore = (s: string): string => `,
    begun AS (
      INSERT INTO ${s}.run (name, job, fence, parent, header, shown)
      SELECT n, $1, $2, parent, substring($3::bytea FROM at FOR len), shown
      FROM held, unnest($13::text[], $14::text[], $15::int[], $16::int[], $17::int[]) AS new (n, parent, at, len, shown)
      ON CONFLICT DO NOTHING),
    pieces AS (
      INSERT INTO ${s}.piece (hash, body)
      SELECT decode(h, 'hex'), substring($3::bytea FROM at FOR len)
      FROM held, unnest($18::text[], $19::int[], $20::int[]) AS new (h, at, len) WHERE len >= 0 ORDER BY h
      ON CONFLICT DO NOTHING),
    uses AS (
      INSERT INTO ${s}.piece_use (run, hash)
      SELECT ($5::text[])[r], decode(h, 'hex') FROM held, unnest($21::int[], $22::int[]) AS new (r, p)
        JOIN unnest($18::text[]) WITH ORDINALITY AS named (h, i) ON i = p ORDER BY h, r
      ON CONFLICT DO NOTHING),
    printed AS (
      INSERT INTO ${s}.output (job, at, stream, body)
      SELECT $1, n, stream, substring($3::bytea FROM at FOR len)
      FROM held, unnest($23::int[], $24::text[], $25::int[], $26::int[]) AS new (n, stream, at, len)
      ON CONFLICT DO NOTHING)`;

const statementTexts = (s: string) => ({
  version: `SELECT version FROM ${s}.about`,
  /** What is looked up by name (`to_regclass`) may be what was true when it was looked up last. */
  isMade: `
    SELECT EXISTS (SELECT 1 FROM pg_class JOIN pg_namespace n ON n.oid = relnamespace WHERE nspname = $1 AND relname = 'about') AS made`,
  /** Two that make the tables do it once. */
  alone: `SELECT pg_advisory_xact_lock(hashtextextended($1, 0))`,
  server: `
    SELECT current_setting('server_version_num')::int AS number, current_setting('server_version') AS version,
      current_setting('server_encoding') AS encoding`,

  append: appendText(s, true),
  /** The same without beginnings, pieces and output: what most writes are takes two thirds of the time. */
  appendRecords: appendText(s, false),
  /** Why nothing was added. */
  whyNot: `
    SELECT fence, (SELECT name FROM ${s}.run WHERE (name = ANY($2::text[]) AND job <> $1) OR (name = ANY($3::text[]) AND fence <> job.fence)
      LIMIT 1) AS other FROM ${s}.job WHERE name = $1`,
  recordsOf: `SELECT (SELECT count(*)::int FROM ${s}.record WHERE run = $2) AS n FROM ${s}.run WHERE name = $2 AND job = $1`,
  lastOutput: `SELECT coalesce(max(at), 0)::int AS last FROM ${s}.output WHERE job = $1`,

  /** First in a transaction that only reads. */
  atOneMoment: `SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY`,
  job: `SELECT kind, fence, began, ended, exit_code, records, job_order, answers, file, result, stop, closed_fence FROM ${s}.job WHERE name = $1`,
  newJob: `INSERT INTO ${s}.job (name, kind, fence, closed_fence) VALUES ($1, $2, 0, 0) ON CONFLICT DO NOTHING`,
  lockedJob: `SELECT fence, ended, answers, ${isClosed} AS closed FROM ${s}.job WHERE name = $1 FOR UPDATE`,
  /** It goes on, or begins: whoever was at work on it is not any more. */
  raiseJob: `
    UPDATE ${s}.job SET fence = fence + 1, closed_fence = fence + 1, ended = NULL, exit_code = NULL, records = NULL, result = NULL
    WHERE name = $1 RETURNING fence`,
  orderJob: `
    UPDATE ${s}.job SET answers = $2, job_order = coalesce($3, job_order), file = coalesce($4, file), stop = NULL, deaths = 0,
      death_records = $5 WHERE name = $1`,
  newAttempt: `INSERT INTO ${s}.attempt (job, fence, worker, roots) VALUES ($1, $2, $3, $4)`,
  /** `untold`: how many attempts before it have not told their ends. */
  takeJob: `
    WITH old AS (SELECT name, fence, closed_fence FROM ${s}.job WHERE name = $1 AND NOT ${isClosed} FOR UPDATE)
    UPDATE ${s}.job SET fence = job.fence + 1 FROM old WHERE job.name = old.name
    RETURNING job.kind, job.fence, old.fence - old.closed_fence AS untold`,
  /** That of a take whose answer was lost. */
  ownAttempt: `
    SELECT kind, attempt.fence, attempt.fence - 1 - closed_fence AS untold FROM ${s}.attempt JOIN ${s}.job ON job.name = attempt.job
    WHERE job = $1 AND worker = $2`,
  attempts: `SELECT fence, roots FROM ${s}.attempt WHERE job = $1 ORDER BY fence`,
  runs: `SELECT name, fence, parent, header, shown FROM ${s}.run WHERE job = $1 ORDER BY name`,
  records: `
    SELECT run, seq, record.fence, body, crc FROM ${s}.record JOIN ${s}.run ON run.name = record.run WHERE run.job = $1
    ORDER BY run, seq`,
  pieces: `
    SELECT DISTINCT hash, body FROM ${s}.piece JOIN ${s}.piece_use USING (hash) JOIN ${s}.run ON run.name = piece_use.run
    WHERE run.job = $1`,
  pieceUses: `SELECT run, hash FROM ${s}.piece_use JOIN ${s}.run ON run.name = piece_use.run WHERE run.job = $1`,
  dropRuns: `DELETE FROM ${s}.run WHERE name = ANY($1::text[])`,
  output: `SELECT at, stream, body FROM ${s}.output WHERE job = $1 AND at > $2 ORDER BY at`,
  endJob: `
    UPDATE ${s}.job SET ended = coalesce(ended, now()), exit_code = $3, records = $4, result = coalesce($5, result), closed_fence = fence
    WHERE name = $1 AND fence = $2 RETURNING name`,
  closeJob: `
    UPDATE ${s}.job SET fence = fence + 1, closed_fence = fence + 1, ended = coalesce(ended, now()), exit_code = NULL WHERE name = $1`,
  leaveJob: `UPDATE ${s}.job SET closed_fence = fence WHERE name = $1 AND fence = $2`,
  /** The same of an attempt whose number nobody knows. */
  leaveTaken: `
    UPDATE ${s}.job SET closed_fence = job.fence FROM ${s}.attempt
    WHERE name = $1 AND attempt.job = name AND attempt.fence = job.fence AND worker = $2`,
  /** Of the oldest attempt that has not told its end: nothing is counted twice. */
  jobDied: `
    WITH old AS (SELECT name, fence > closed_fence AS open FROM ${s}.job WHERE name = $1 FOR UPDATE)
    UPDATE ${s}.job SET closed_fence = least(fence, closed_fence + 1),
      deaths = CASE WHEN NOT old.open THEN deaths WHEN $2 > death_records THEN 0 ELSE deaths + 1 END,
      death_records = greatest(death_records, $2)
    FROM old WHERE job.name = old.name RETURNING deaths`,
  stopJob: `UPDATE ${s}.job SET stop = $2 WHERE name = $1 AND ended IS NULL`,
  ring: `SELECT pg_notify($1, $2)`,
  listen: `LISTEN ${s}`,
  /** Of these jobs those that are still these fences'; and those that were closed since they were to stop. */
  held: `
    SELECT name, stop FROM unnest($1::text[], $2::int[]) AS mine (n, f) JOIN ${s}.job ON name = n
      AND (fence = f AND ended IS NULL OR fence > f AND stop IS NOT NULL AND ${isClosed})`,
  settings: `
    SELECT current_setting('server_version') AS version, current_setting('fsync') AS fsync, current_user AS name,
      (SELECT reset_val FROM pg_settings WHERE name = 'synchronous_commit') AS commit,
      (SELECT count(*)::int FROM ${s}.job) AS jobs,
      (SELECT count(*)::int FROM ${s}.job WHERE ended IS NULL) AS open`,
  rights: `
    SELECT what, has_table_privilege(relation, what) AS granted, relation FROM unnest($1::text[]) AS relation,
      unnest(ARRAY['SELECT', 'INSERT', 'UPDATE', 'DELETE']) AS what`,
  unfinished: `SELECT name, kind, began, job_order FROM ${s}.job WHERE ended IS NULL ORDER BY began, name`,
  endedJobs: `
    SELECT name FROM ${s}.job WHERE ended < now() - $1::float8 * interval '1 millisecond' LIMIT 500 FOR UPDATE SKIP LOCKED`,
  runsOfJobs: `SELECT name FROM ${s}.run WHERE job = ANY($1::text[])`,
  dropJobs: `DELETE FROM ${s}.job WHERE name = ANY($1::text[])`,
  dropRecords: `DELETE FROM ${s}.record WHERE run = ANY($1::text[])`,
  dropUses: `DELETE FROM ${s}.piece_use WHERE run = ANY($1::text[])`,
  dropOutput: `DELETE FROM ${s}.output WHERE job = ANY($1::text[])`,
  dropPieces: `DELETE FROM ${s}.piece WHERE NOT EXISTS (SELECT 1 FROM ${s}.piece_use WHERE piece_use.hash = piece.hash)`,
});

const large: ReadonlySet<string> = new Set(["job", "records", "pieces", "output"]);

type StatementName = keyof ReturnType<typeof statementTexts>;
export type Statements = Readonly<Record<StatementName, SqlStatement>>;

/** The statements over the tables of a schema. */
export function statements(schema: string): Statements {
  const texts = Object.entries(statementTexts(sqlName(schema)));
  return Object.fromEntries(
    texts.map(([name, text]) => [name, { name: `harn_${name}`, text, isLarge: large.has(name) }]),
  ) as unknown as Statements;
}

/** The name of a table, as statements have it. */
export const tableIn = (schema: string, table: (typeof tableNames)[number]): string =>
  `${sqlName(schema)}.${table}`;
