/** A database of prepared answers, for tests: Runtime state, so a replay goes through it again. */
import { Dict, display, jsonStringify, List, thrown, typeOf, type Value } from "../../../values/index.ts";
import { type Argument, option } from "../../arguments.ts";

interface Fixture {
  readonly sql: string;
  /** JSON of the parameters; `undefined` fits any. */
  readonly params: string | undefined;
  readonly rows: readonly Dict[];
  readonly rowsAffected: Value;
  readonly error: string | undefined;
}

export interface MockAnswer {
  readonly rows: readonly Dict[];
  readonly rowsAffected: Value;
}

export class PgMock {
  private readonly fixtures: readonly Fixture[];
  private readonly called: Dict[] = [];

  constructor(value: Argument) {
    const all = value instanceof Dict ? [value] : value instanceof List ? value.toArray() : [];
    if (value !== undefined && value !== null && !(value instanceof Dict || value instanceof List))
      throw thrown(`pg_mock_pool: fixtures must be a list or a dict, got ${typeOf(value)}`);
    this.fixtures = all.map(queryFixtureOf);
  }

  get calls(): List {
    return new List([...this.called]);
  }

  /** The first fixture that fits; a call counts also when none does. */
  answer(sql: string, params: List, execute: boolean): MockAnswer {
    this.called.push(Dict.of({ sql, params, execute }));
    const asked = jsonStringify(params);
    const found = this.fixtures.find(
      (one) => one.sql === sql.trim() && (one.params === undefined || one.params === asked),
    );
    if (found === undefined) throw thrown(`pg_mock: no fixture matched \`${sql}\``);
    if (found.error !== undefined) throw thrown(`pg_mock: ${found.error}`);
    return found;
  }
}

function queryFixtureOf(value: Value, index: number): Fixture {
  const refuse = (why: string): unknown => thrown(`pg_mock_pool: fixture ${index + 1}: ${why}`);
  if (!(value instanceof Dict)) throw refuse(`must be a dict, got ${typeOf(value)}`);
  const sql = option(value, "sql");
  if (typeof sql !== "string" || sql.trim() === "") throw refuse("sql is required");
  const params = option(value, "params");
  if (params !== undefined && !(params instanceof List))
    throw refuse(`params must be a list, got ${typeOf(params)}`);
  const rows = option(value, "rows");
  if (rows !== undefined && !(rows instanceof List && rows.toArray().every((row) => row instanceof Dict)))
    throw refuse("rows must be a list of dicts");
  const dicts = rows === undefined ? [] : (rows.toArray() as Dict[]);
  const affected = option(value, "rows_affected");
  if (affected !== undefined && typeof affected !== "number")
    throw refuse(`rows_affected must be an int, got ${typeOf(affected)}`);
  const error = option(value, "error");
  return {
    sql: sql.trim(),
    params: params === undefined ? undefined : jsonStringify(params),
    rows: dicts,
    rowsAffected: affected ?? dicts.length,
    error: error === undefined ? undefined : display(error),
  };
}
