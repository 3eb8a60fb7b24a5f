/** A database of prepared answers, for tests: Runtime state, so a replay goes through it again. */
import { at, readRows, refusal, row, rows } from "../../../table/index.ts";
import { Dict, display, jsonStringify, List, thrown, type Value } from "../../../values/index.ts";

export interface MockAnswer {
  readonly rows: readonly Dict[];
  readonly rowsAffected: Value;
}

export class PgMock {
  private readonly fixtures: readonly Fixture[];
  private readonly called: Dict[] = [];

  constructor(value?: List | Dict) {
    const all = value instanceof Dict ? [value] : (value?.toArray() ?? []);
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

const fixtureRows = rows(() => ({
  sql: row.words("The statement that it answers.").required(),
  params: row.handle<List>("list", "Only with these parameters."),
  rows: row.list(row.dict(null), "The rows that it gives.", []).full(),
  rows_affected: row.int("As many as `rows`, unless given."),
  error: row.value("What goes wrong.", "shown as its text"),
}));

function queryFixtureOf(value: Value, index: number) {
  const place = at("pg_mock_pool", `fixtures[${index}]`);
  if (!(value instanceof Dict)) throw refusal(place, "dict", value);
  const read = readRows(value, fixtureRows, place);
  return {
    sql: read.sql.trim(),
    /** JSON of the parameters; `undefined` fits any. */
    params: read.params === null ? undefined : jsonStringify(read.params),
    rows: read.rows,
    rowsAffected: read.rowsAffected ?? read.rows.length,
    error: read.error === null ? undefined : display(read.error),
  };
}

type Fixture = Readonly<ReturnType<typeof queryFixtureOf>>;
