/** The pools and transactions that a program has open. */

import { stateKey, type Task } from "../../../interp/index.ts";
import { at, refusal } from "../../../table/index.ts";
import { Dict, runtimeError, type Value } from "../../../values/index.ts";
import { type Argument, option } from "../../arguments.ts";
import { LiveConnection } from "../../sockets/live-connections.ts";
import type { PgMock } from "./mock.ts";
import type { LivePool, PgPool } from "./pool.ts";
import type { PgPoolOptions, Source } from "./target.ts";
import type { Transaction } from "./transaction.ts";

interface PgState {
  made: number;
  readonly pools: Map<string, PgPool>;
  readonly mocks: Map<string, PgMock>;
  readonly transactions: Map<string, Transaction>;
}

const pgState = stateKey<PgState>("postgres", () => ({
  made: 0,
  pools: new Map(),
  mocks: new Map(),
  transactions: new Map(),
}));

export const stateOf = (task: Task): PgState => task.runtime.state(pgState);

export function registerPool(task: Task, source: Source, options: PgPoolOptions): PgPool {
  const state = stateOf(task);
  const pool = { id: `pg_${++state.made}`, source, options, connection: new LiveConnection<LivePool>(task) };
  state.pools.set(pool.id, pool);
  return pool;
}

export function registerMock(task: Task, mock: PgMock): Value {
  const state = stateOf(task);
  const id = `pg_mock_${++state.made}`;
  state.mocks.set(id, mock);
  return Dict.of({ _type: "pg_pool", id, max_connections: 1, mock: true });
}

/** Where a statement goes. */
export type PgTarget =
  | { readonly kind: "pool"; readonly pool: PgPool }
  | { readonly kind: "mock"; readonly mock: PgMock }
  | { readonly kind: "transaction"; readonly transaction: Transaction };

export function findTarget(task: Task, caller: string, handle: Argument): PgTarget {
  const { pools, mocks, transactions } = stateOf(task);
  const type = option(handle, "_type");
  const id = option(handle, "id");
  if (!(handle instanceof Dict) || typeof id !== "string" || (type !== "pg_pool" && type !== "pg_tx"))
    throw refusal(at(caller, "handle"), "a handle of pg_pool, pg_connect or pg_transaction", handle);
  if (type === "pg_tx") {
    const transaction = transactions.get(id);
    if (transaction === undefined) throw runtimeError(`${caller}: transaction \`${id}\` is over`);
    return { kind: "transaction", transaction };
  }
  const pool = pools.get(id);
  if (pool !== undefined) return { kind: "pool", pool };
  const mock = mocks.get(id);
  if (mock !== undefined) return { kind: "mock", mock };
  throw runtimeError(`${caller}: unknown or closed pool \`${id}\``);
}

/** Forgets a pool: whether there was one. Its connections end when they are given back. */
export function forgetPool(task: Task, handle: Argument): boolean {
  const { pools, mocks } = stateOf(task);
  const id = option(handle, "id");
  if (typeof id !== "string") return false;
  const pool = pools.get(id);
  pool?.connection.close();
  return pools.delete(id) || mocks.delete(id);
}
