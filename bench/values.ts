/**
 * Costs of the value representations, to be run by hand after changing one: `node --expose-gc bench/values.ts`.
 * Figures and what was decided from them are in notes-values.md.
 */
import {
  add,
  compare,
  Dict,
  display,
  equals,
  Float,
  jsonParse,
  jsonStringify,
  List,
  SetValue,
  Shape,
  type Value,
} from "../src/values/index.ts";

export interface Row {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  readonly target?: number;
}

/** Nanoseconds per step, best of seven after a warm-up. */
function nanoseconds(steps: number, body: () => unknown): number {
  let best = Number.POSITIVE_INFINITY;
  for (let round = 0; round < 8; round++) {
    const start = performance.now();
    body();
    const spent = performance.now() - start;
    if (round > 0 && spent < best) best = spent;
  }
  return (best * 1e6) / steps;
}

/** The exponent of the growth of a cost between two sizes: 1 is linear. */
function exponent(body: (size: number) => unknown, small: number, large: number): number {
  const time = (size: number): number => nanoseconds(1, () => body(size));
  return Math.log(time(large) / time(small)) / Math.log(large / small);
}

function heapMegabytes(make: () => unknown): number {
  const collect = (globalThis as { gc?: () => void }).gc;
  collect?.();
  const before = process.memoryUsage().heapUsed;
  const kept = make();
  collect?.();
  const used = (process.memoryUsage().heapUsed - before) / 1e6;
  return kept === undefined ? 0 : used;
}

const N = 100_000;

function appendList(size: number): List {
  let list = new List([]);
  for (let i = 0; i < size; i++) list = add(list, new List([i])) as List;
  return list;
}

function mergeDict(size: number): Dict {
  let dict = new Dict();
  for (let i = 0; i < size; i++) dict = dict.merge(new Dict(new Map([[`k${i}`, i]])));
  return dict;
}

function addSet(size: number): SetValue {
  let set = new SetValue([]);
  for (let i = 0; i < size; i++) set = set.with(i);
  return set;
}

/** The same three fields as a table and as a shaped dict: what a literal costs. */
function literals(shaped: boolean): Value[] {
  const shape = Shape.ofLiteral(["id", "name", "done"]) as Shape;
  const made: Value[] = [];
  for (let i = 0; i < N; i++) {
    made.push(
      shaped
        ? Dict.shaped(shape, [i, "x", true])
        : new Dict(
            new Map<string, Value>([
              ["id", i],
              ["name", "x"],
              ["done", true],
            ]),
          ),
    );
  }
  return made;
}

export async function run(): Promise<Row[]> {
  const rows: Row[] = [];
  const note = (name: string, value: number, unit: string, target?: number): void => {
    rows.push({ name, value, unit, target });
  };
  note(
    "list of a million ints",
    heapMegabytes(() => appendList(1_000_000)),
    "MB",
    40,
  );
  note(
    "list append",
    nanoseconds(N, () => appendList(N)),
    "ns",
  );
  note("list append, growth exponent", exponent(appendList, 10_000, 1_000_000), "", 1.15);
  note(
    "dict merge of one key",
    nanoseconds(N, () => mergeDict(N)),
    "ns",
  );
  note("dict merge, growth exponent", exponent(mergeDict, 10_000, 300_000), "", 1.5);
  note(
    "set add",
    nanoseconds(N, () => addSet(N)),
    "ns",
  );
  note(
    "dict literal, shaped",
    nanoseconds(N, () => literals(true)),
    "ns",
  );
  note(
    "dict literal, table",
    nanoseconds(N, () => literals(false)),
    "ns",
  );
  note("dict literal, shaped, memory", (heapMegabytes(() => literals(true)) * 1e6) / N, "bytes");
  note("dict literal, table, memory", (heapMegabytes(() => literals(false)) * 1e6) / N, "bytes");
  const floats = Array.from({ length: N }, (_, i) => new Float(i / 3));
  note(
    "float sum through add",
    nanoseconds(N, () => floats.reduce<Value>((sum, x) => add(sum, x), new Float(0))),
    "ns",
  );
  const big = appendList(N);
  note(
    "display of a list of ints, per element",
    nanoseconds(N, () => display(big)),
    "ns",
  );
  const other = appendList(N);
  note(
    "equality of lists, per element",
    nanoseconds(N, () => equals(big, other)),
    "ns",
  );
  const records = new List(literals(true));
  const text = jsonStringify(records);
  note("json_stringify", (text.length / nanoseconds(1, () => jsonStringify(records))) * 1000, "MB/s");
  note("json_parse", (text.length / nanoseconds(1, () => jsonParse(text))) * 1000, "MB/s");
  note(
    "compare of ints",
    nanoseconds(N, () => {
      let sum = 0;
      for (let i = 0; i < N; i++) sum += compare(i, 5);
      return sum;
    }),
    "ns",
  );
  return rows;
}

if (import.meta.main) {
  for (const { name, value, unit, target } of await run()) {
    console.log(
      `${name.padEnd(44)} ${value.toFixed(2).padStart(10)} ${unit}${target === undefined ? "" : `  (target ${target})`}`,
    );
  }
}
