/**
 * How the cost of building grows with the size: the slope of log(time) over log(size) from 10³ to 10⁶ elements (1 is
 * linear), with a bare `Map` as the yardstick of dicts (what the machine's caches cost is in both). And how deep
 * recursion goes, in a process as the launcher starts it, because the stack is the launcher's.
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { compileText, runOnce } from "./kernels.ts";
import { type Benchmark, printRows, type Row } from "./rows.ts";

const launcher = join(resolve(dirname(fileURLToPath(import.meta.url)), ".."), "bin/harn.cjs");

const SIZES = [1_000, 10_000, 100_000, 1_000_000];
const ROUNDS = 5;

/** Programs with the size left open; each returns it. */
const programs: readonly (readonly [name: string, text: (size: number) => string])[] = [
  [
    "list append",
    (size) => `pipeline default() {
  var xs = []
  for i in 0 to ${size} exclusive { xs = xs + [i] }
  return len(xs)
}`,
  ],
  [
    "dict insert",
    (size) => `pipeline default() {
  var d = {}
  for i in 0 to ${size} exclusive { d["k\${i}"] = i }
  return len(d)
}`,
  ],
  [
    "string building",
    (size) => `pipeline default() {
  var text = ""
  for i in 0 to ${size} exclusive { text = text + "x" }
  return len(text)
}`,
  ],
];

function bareMap(size: number): number {
  const map = new Map<string, number>();
  for (let i = 0; i < size; i++) map.set(`k${i}`, i);
  return map.size;
}

async function best(body: () => unknown): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let round = 0; round < ROUNDS; round++) {
    const begin = performance.now();
    await body();
    least = Math.min(least, performance.now() - begin);
  }
  return least;
}

/** Slope of the least-squares line through the logarithms. */
export function exponent(sizes: readonly number[], times: readonly number[]): number {
  const xs = sizes.map(Math.log);
  const ys = times.map(Math.log);
  const mean = (of: readonly number[]): number => of.reduce((sum, one) => sum + one, 0) / of.length;
  const [mx, my] = [mean(xs), mean(ys)];
  const slope = xs.reduce((sum, x, at) => sum + (x - mx) * (ys[at]! - my), 0);
  return slope / xs.reduce((sum, x) => sum + (x - mx) ** 2, 0);
}

async function growthRow(name: string, body: (size: number) => () => unknown, target?: string): Promise<Row> {
  // One round of a middle size first, so that the smallest does not pay for compiling.
  for (let i = 0; i < ROUNDS; i++) await body(SIZES[1]!)();
  const times: number[] = [];
  for (const size of SIZES) times.push(await best(body(size)));
  const largest = (times.at(-1)! * 1e6) / SIZES.at(-1)!;
  return {
    name: `${name}, exponent (${largest.toFixed(0)} ns each at 10^6)`,
    value: exponent(SIZES, times),
    unit: "",
    ...(target !== undefined && { target }),
  };
}

function runScript(text: string): {
  readonly status: number | null;
  readonly out: string;
  readonly err: string;
} {
  const folder = mkdtempSync(join(tmpdir(), "harn-growth-"));
  try {
    const file = join(folder, "deep.harn");
    writeFileSync(file, text);
    const done = spawnSync(launcher, ["run", file], { encoding: "utf8" });
    return { status: done.status, out: done.stdout, err: done.stderr };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const deep = (depth: number): string => `fn down(n) {
  if n == 0 { return 0 }
  return 1 + down(n - 1)
}
println(down(${depth}))
`;

/** The deepest of the tried recursions that works; beyond the limit it must be an error of the language. */
function recursionRow(): Row {
  const reached = [100, 1_000, 5_000, 9_990].filter(
    (depth) => runScript(deep(depth)).out.trim() === String(depth),
  );
  const beyond = runScript(deep(20_000));
  if (beyond.status === 0 || /RangeError|\bat .*\.(ts|cjs|js):\d/.test(beyond.err))
    throw new Error(`recursion to 20,000 does not end in the language's own error: ${beyond.err}`);
  return {
    name: "recursion, nested calls that work",
    value: Math.max(0, ...reached),
    unit: "",
    target: "about 10,000, then the language's own error",
  };
}

export const run: Benchmark = async () => {
  const rows: Row[] = [];
  for (const [name, text] of programs) {
    rows.push(
      await growthRow(
        name,
        (size) => {
          const program = compileText("growth.harn", text(size));
          return () => runOnce(program);
        },
        "linear",
      ),
    );
  }
  rows.push(await growthRow("bare Map insert", (size) => () => bareMap(size)));
  rows.push(recursionRow());
  return rows;
};

if (import.meta.main) printRows("growth", await run());
