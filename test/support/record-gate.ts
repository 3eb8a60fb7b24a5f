/** Tells, or holds, the moment at which the database of journals gets a given record of a job's first attempt: what dies then, dies there. */
import pg from "pg";
import type { PostgresServer } from "./postgres-server.ts";

/** `held`: it is written, and the database waits to commit it. `there`: it was committed this moment. */
export type RecordMoment = "held" | "there";

export interface RecordGate {
  /** Resolves when the record has come. */
  readonly reached: Promise<void>;
  /** What was held goes on. */
  open(): Promise<void>;
  close(): Promise<void>;
}

let gates = 0;

/** The project's tables have to be there. */
export async function recordGate(
  postgres: PostgresServer,
  project: string,
  { record, moment }: { readonly record: number; readonly moment: RecordMoment },
): Promise<RecordGate> {
  const schema = `"harn_${project}"`;
  const id = ++gates;
  const client = new pg.Client(postgres.url);
  // The server may be made to crash.
  client.on("error", () => {});
  await client.connect();
  const [when, then] =
    moment === "held" ? ["BEFORE", `pg_advisory_xact_lock(${id})`] : ["AFTER", `pg_notify('gate_${id}', '')`];
  await client.query(moment === "held" ? `SELECT pg_advisory_lock(${id})` : `LISTEN gate_${id}`);
  // The sender's own attempt is 1.
  await client.query(`
    CREATE FUNCTION ${schema}.gate() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      IF NEW.fence = 2 AND NEW.seq = ${record} THEN PERFORM ${then}; END IF;
      RETURN NEW;
    END $$;
    CREATE TRIGGER gate ${when} INSERT ON ${schema}.record FOR EACH ROW EXECUTE FUNCTION ${schema}.gate()`);
  let isClosed = false;
  const isHeld = async (): Promise<boolean> => {
    const sql = `SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND objid = ${id} AND NOT granted`;
    return (await client.query(sql)).rows.length > 0;
  };
  const held = async (): Promise<void> => {
    while (!isClosed && !(await isHeld())) await new Promise((resolve) => setTimeout(resolve, 10));
  };
  return {
    reached:
      moment === "held"
        ? held().catch(() => {})
        : new Promise((resolve) => client.once("notification", () => resolve())),
    open: async () => {
      await client.query(`SELECT pg_advisory_unlock_all()`).catch(() => {});
    },
    close: async () => {
      isClosed = true;
      await client.end().catch(() => {});
    },
  };
}
