/** Values on their way to PostgreSQL and back (builtins.md §2.26). Both ways they are texts, so nothing is rounded. */
import type { DatabaseAnswer } from "../../../host/index.ts";
import {
  Bytes,
  Callable,
  Dict,
  Duration,
  Float,
  jsonParse,
  jsonStringify,
  List,
  thrown,
  typeOf,
  type Value,
} from "../../../values/index.ts";
import { decodeHex } from "../../formats/encodings-text.ts";

export type PgParam = string | Uint8Array | null;

/** A script's value as the server reads it: a duration in milliseconds, what has no form of its own as JSON. */
export function paramOf(caller: string, value: Value): PgParam {
  if (value === null || typeof value === "string") return value;
  if (typeof value === "boolean" || typeof value === "number" || typeof value === "bigint")
    return String(value);
  if (value instanceof Float) return pgFloatText(value.value);
  if (value instanceof Bytes) return value.data;
  if (value instanceof Duration) return String(value.ms);
  if (value instanceof Callable) throw thrown(`${caller}: a ${typeOf(value)} can't be a parameter`);
  return jsonStringify(value);
}

function pgFloatText(value: number): string {
  if (Number.isNaN(value)) return "NaN";
  return Number.isFinite(value) ? String(value) : value > 0 ? "Infinity" : "-Infinity";
}

/** The answer's rows as dicts. Of two columns of one name the later one counts. */
export function rowsOf({ columns, rows }: DatabaseAnswer): Dict[] {
  return rows.map((row) =>
    Dict.from(
      columns.map(([name, type], index): [string, Value] => [name, columnValue(row[index] ?? null, type)]),
    ),
  );
}

type PgValueReader = (text: string) => Value;

const integer: PgValueReader = (text) => {
  const exact = BigInt(text);
  const near = Number(exact);
  return Number.isSafeInteger(near) ? near : exact;
};

const float: PgValueReader = (text) => new Float(Number(text));
const json: PgValueReader = (text) => jsonParse(text);
/** `\x00ff`: the form since PostgreSQL 9.0. */
const readBytea: PgValueReader = (text) =>
  new Bytes(decodeHex(text.slice(2), (why) => thrown(`bytea: ${why}`)));
const bool: PgValueReader = (text) => text === "t";

/** `2026-01-02 03:04:05.678+00` in the form of RFC 3339; `infinity` and years before Christ as the server says them. */
const zonedTime: PgValueReader = (text) => {
  const parts = /^(\d{4,}-\d\d-\d\d) (\d\d:\d\d:\d\d(?:\.\d+)?)([+-]\d\d)(?::?(\d\d))?$/.exec(text);
  return parts === null ? text : `${parts[1]}T${parts[2]}${parts[3]}:${parts[4] ?? "00"}`;
};

/** By the numbers of PostgreSQL's catalogue `pg_type`; every other type is text. */
const readers: ReadonlyMap<number, PgValueReader> = new Map<number, PgValueReader>([
  [16, bool],
  [17, readBytea],
  [20, integer],
  [21, integer],
  [23, integer],
  [26, integer],
  [114, json],
  [700, float],
  [701, float],
  [1184, zonedTime],
  [3802, json],
]);

/** Types of arrays and of their elements; 25 stands for whatever is text. */
const arrays: ReadonlyMap<number, number> = new Map([
  [199, 114],
  [1000, 16],
  [1001, 17],
  [1005, 21],
  [1007, 23],
  [1009, 25],
  [1014, 25],
  [1015, 25],
  [1016, 20],
  [1021, 700],
  [1022, 701],
  [1028, 26],
  [1115, 25],
  [1182, 25],
  [1183, 25],
  [1185, 1184],
  [1187, 25],
  [1231, 25],
  [1270, 25],
  [2951, 25],
  [3807, 3802],
]);

function columnValue(text: string | null, type: number): Value {
  if (text === null) return null;
  const element = arrays.get(type);
  if (element !== undefined) return arrayOf(text, readers.get(element) ?? ((one) => one));
  return readers.get(type)?.(text) ?? text;
}

/** An array in the server's text form: `{1,NULL,"a \"b\"",{…}}`, perhaps after its bounds (`[0:1]={…}`). */
function arrayOf(text: string, read: PgValueReader): Value {
  let at = text.indexOf("{");
  if (at < 0) return text;

  const quoted = (): string => {
    let out = "";
    for (at += 1; at < text.length && text[at] !== '"'; at += 1) {
      if (text[at] === "\\") at += 1;
      out += text[at] ?? "";
    }
    at += 1;
    return out;
  };
  const plain = (): Value => {
    const start = at;
    while (at < text.length && text[at] !== "," && text[at] !== "}") at += 1;
    const word = text.slice(start, at);
    return word.toUpperCase() === "NULL" ? null : read(word);
  };
  const list = (): List => {
    const items: Value[] = [];
    for (at += 1; at < text.length && text[at] !== "}"; ) {
      if (text[at] === ",") at += 1;
      else if (text[at] === "{") items.push(list());
      else items.push(text[at] === '"' ? read(quoted()) : plain());
    }
    at += 1;
    return new List(items);
  };
  return list();
}
