/** Opening pools, asking them, transactions: each an effect, answered from the record on replay. */

import { type Json, type ResultShape, shape } from "../../../effects/index.ts";
import {
  type DatabaseAnswer,
  type DatabasePool,
  type DatabaseStatement,
  egressCheck,
  HostError,
} from "../../../host/index.ts";
import type { Task } from "../../../interp/index.ts";
import {
  type Callable,
  Dict,
  display,
  List,
  type MaybePromise,
  proceed,
  runtimeError,
  ScriptError,
  thrown,
  toBase64,
  type Value,
} from "../../../values/index.ts";
import { type Argument, option } from "../../arguments.ts";
import { secretValue } from "../../secrets/secrets.ts";
import { PgMock } from "./mock.ts";
import type { LivePool, PgPool } from "./pool.ts";
import { findTarget, registerPool, stateOf } from "./pools.ts";
import { poolOptions, postgresSourceOf, shownSource, targetOf } from "./target.ts";
import { Transaction } from "./transaction.ts";
import { paramOf, rowsOf } from "./values.ts";

const databaseAnswerShape = shape.record<DatabaseAnswer>({
  columns: shape.listOf(shape.pair(shape.text, shape.number)),
  rows: shape.listOf(shape.listOf(shape.orNull(shape.text))),
  rowsAffected: shape.count,
});

export function openPool(
  task: Task,
  caller: string,
  value: Argument,
  options: Argument,
): MaybePromise<Value> {
  const single = caller === "pg_connect";
  const source = postgresSourceOf(caller, value);
  const pool = registerPool(task, source, poolOptions(caller, options, single));
  const opened = task.perform<null>({
    effect: "read",
    kind: "pg.open",
    args: () => ({ source: shownSource(source) }),
    run: async (signal) => {
      await explained(caller, () => onLiveConnection(task, caller, pool, signal));
      return null;
    },
    result: shape.nothing,
  });
  const { maxConnections, applicationName } = pool.options;
  return proceed(opened, () =>
    Dict.of({
      _type: "pg_pool",
      id: pool.id,
      max_connections: maxConnections,
      ...(applicationName === undefined ? {} : { application_name: applicationName }),
      ...(single ? { single_connection: true } : {}),
    }),
  );
}

/** The pool as it is open now; a run that was resumed opens it again by its recipe. Only inside effects. */
async function onLiveConnection(
  task: Task,
  caller: string,
  pool: PgPool,
  signal: AbortSignal,
): Promise<DatabasePool> {
  const { connection, source, options } = pool;
  const opened = await connection.get(async (): Promise<LivePool> => {
    const { host } = task.runtime;
    const text = source.kind === "url" ? source.url : addressIn(task, caller, source);
    const target = targetOf(task, caller, text, options);
    egressCheck(task, caller)(target.url);
    const made = await host.network.databases.open(target, signal);
    return { pool: made, close: () => void made.close() };
  });
  return opened.pool;
}

function addressIn(
  task: Task,
  caller: string,
  { kind, name }: { readonly kind: "env" | "secret"; readonly name: string },
): string {
  const text = kind === "env" ? task.runtime.host.env.get(name) : secretValue(task, name);
  if (text !== undefined && text !== "") return text;
  throw runtimeError(
    kind === "env"
      ? `${caller}: environment variable \`${name}\` is not set`
      : `${caller}: there is no secret \`${name}\``,
  );
}

/** A failure of the server or the network in a script's words. */
async function explained<T>(caller: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof HostError) throw thrown(`${caller}: ${error.message}`);
    throw error;
  }
}

/** What only looks may be done again after a crash; what may have changed something is in doubt then. */
const onlyReads = (sql: string): boolean =>
  /^(?:select|show|values|table)\b/i.test(withoutSqlComments(sql)) &&
  !/\bfor\s+(?:no\s+key\s+)?update\b|\binto\b|\bnextval\s*\(/i.test(sql);

const withoutSqlComments = (sql: string): string => sql.replace(/^(?:\s+|--[^\n]*\n|\/\*[\s\S]*?\*\/)+/, "");

export function askDatabase(
  task: Task,
  caller: string,
  handle: Argument,
  sql: Argument,
  params: List | undefined,
): MaybePromise<{ readonly rows: readonly Dict[]; readonly rowsAffected: Value }> {
  if (typeof sql !== "string" || sql.trim() === "") throw runtimeError(`${caller}: sql is required`);
  const values = params ?? new List([]);
  const target = findTarget(task, caller, handle);
  const mock =
    target.kind === "mock"
      ? target.mock
      : target.kind === "transaction" && target.transaction.pool instanceof PgMock
        ? target.transaction.pool
        : undefined;
  if (mock !== undefined) return mock.answer(sql, values, caller === "pg_execute");
  const statement = { sql, params: values.toArray().map((value) => paramOf(caller, value)) };
  const answered =
    target.kind === "transaction"
      ? askInside(task, caller, target.transaction, statement)
      : askPool(task, caller, (target as { readonly pool: PgPool }).pool, statement);
  return proceed(answered, (answer) => ({ rows: rowsOf(answer), rowsAffected: answer.rowsAffected }));
}

function askPool(
  task: Task,
  caller: string,
  pool: PgPool,
  statement: DatabaseStatement,
): MaybePromise<DatabaseAnswer> {
  if (
    pool.options.maxConnections > 1 &&
    /^(?:begin|start\s+transaction|commit|rollback|savepoint)\b/i.test(withoutSqlComments(statement.sql))
  )
    throw thrown(`${caller}: a pool runs each statement on any connection; use pg_transaction`);
  return task.perform<DatabaseAnswer>({
    effect: onlyReads(statement.sql) ? "read" : "write",
    kind: caller.replace("_", "."),
    args: () => shownStatement(pool.id, statement),
    run: (signal) =>
      explained(caller, async () => {
        const session = await (await onLiveConnection(task, caller, pool, signal)).session(signal);
        try {
          return await session.query(statement, signal);
        } finally {
          session.release(false);
        }
      }),
    result: databaseAnswerShape,
  });
}

/** Until it is committed nothing has happened: it may always be done again. */
async function askInside(
  task: Task,
  caller: string,
  transaction: Transaction,
  statement: DatabaseStatement,
): Promise<DatabaseAnswer> {
  let answer: DatabaseAnswer | undefined;
  try {
    answer = await task.perform<DatabaseAnswer>({
      effect: "write",
      inDoubt: "repeat",
      kind: caller.replace("_", "."),
      args: () => shownStatement(transaction.id, statement),
      run: (signal) =>
        explained(caller, async () => (await transaction.live(signal)).query(statement, signal)),
      result: databaseAnswerShape,
    });
    return answer;
  } finally {
    transaction.note(statement, answer);
  }
}

const shownStatement = (on: string, { sql, params }: DatabaseStatement): Json => ({
  on,
  sql,
  params: params.map((param): Json => (param instanceof Uint8Array ? { bytes: toBase64(param) } : param)),
});

export async function runTransaction(
  task: Task,
  connection: Argument,
  body: Callable,
  options: Argument,
): Promise<Value> {
  const caller = "pg_transaction";
  const target = findTarget(task, caller, connection);
  if (target.kind === "transaction")
    throw runtimeError(`${caller}: a transaction can't begin inside another one`);
  const settings = settingsOf(option(options, "settings"));
  const state = stateOf(task);
  const pool = target.kind === "mock" ? target.mock : target.pool;
  const transaction = new Transaction(`tx_${++state.made}`, pool, settings, (signal) =>
    onLiveConnection(task, caller, pool as PgPool, signal),
  );
  state.transactions.set(transaction.id, transaction);
  const ends = pool instanceof PgMock ? undefined : transactionEnds(task, transaction);
  try {
    await ends?.begin();
    const value = await body.call(task, [Dict.of({ _type: "pg_tx", id: transaction.id })]);
    await ends?.commit();
    return value;
  } catch (error) {
    // A task that is stopped waits for nothing more: the server rolls back when the connection closes.
    if (error instanceof ScriptError) await rolledBack(ends);
    throw error;
  } finally {
    state.transactions.delete(transaction.id);
    transaction.end(true);
  }
}

/** Why the transaction failed counts more than a rollback that fails too: then the connection is closed. */
async function rolledBack(ends: Ends | undefined): Promise<void> {
  try {
    await ends?.rollback();
  } catch (error) {
    if (!(error instanceof ScriptError)) throw error;
  }
}

interface Ends {
  begin(): MaybePromise<null>;
  commit(): Promise<null>;
  rollback(): MaybePromise<null>;
}

function transactionEnds(task: Task, transaction: Transaction): Ends {
  const step = <T extends string | null>(
    kind: string,
    more: Json,
    run: (signal: AbortSignal) => Promise<T>,
    result: ResultShape<T>,
  ): MaybePromise<T> =>
    task.perform<T>({
      effect: "write",
      inDoubt: "repeat",
      kind,
      args: () => ({ on: transaction.id, of: more }),
      run: (signal) => explained("pg_transaction", () => run(signal)),
      result,
    });
  return {
    begin: () =>
      step(
        "pg.begin",
        null,
        async (signal) => {
          await transaction.live(signal);
          return null;
        },
        shape.nothing,
      ),
    commit: async () => {
      // Recorded before the commit: by it a resumed run finds out whether the commit happened.
      const number = await step(
        "pg.number",
        null,
        (signal) => transaction.number(signal),
        shape.orNull(shape.text),
      );
      return step(
        "pg.commit",
        number,
        async (signal) => {
          await transaction.commit(number, signal);
          return null;
        },
        shape.nothing,
      );
    },
    rollback: () =>
      step(
        "pg.rollback",
        null,
        async (signal) => {
          await transaction.rollback(signal);
          return null;
        },
        shape.nothing,
      ),
  };
}

function settingsOf(input: Argument): (readonly [string, string])[] {
  if (!(input instanceof Dict)) return [];
  return [...input.entries()].map(([name, value]) => [name, display(value)] as const);
}
