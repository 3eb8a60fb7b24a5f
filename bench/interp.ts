/**
 * Interpreter kernels against CPython: the same work in `kernels/<name>.harn` and `.py`, each warm in one process. The
 * rows are time relative to CPython (below 1 is faster). Both sides take turns and their best rounds are compared:
 * what else runs on the machine only ever makes a round slower.
 */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { builtinTable } from "../src/builtins/index.ts";
import { LiveEffects } from "../src/effects/index.ts";
import { createNodeHost, nodeAtRest } from "../src/host/index.ts";
import { Runtime } from "../src/interp/index.ts";
import { compileProgram, type ExecutableProgram, type RunOutcome, runProgram } from "../src/lower/index.ts";
import { SourceFile } from "../src/source/index.ts";
import { parse } from "../src/syntax/index.ts";
import { printRows, type Row } from "./rows.ts";

const folder = join(dirname(fileURLToPath(import.meta.url)), "kernels");

/** Kernels with what the issue asks of them. */
const kernels: readonly [name: string, target?: number][] = [
  ["arithmetic", 0.25],
  ["recursion", 1.5],
  ["calls", 1.5],
  ["map-filter", 1.5],
  ["string-building", 1.5],
  ["dict-reads", 1.5],
  ["struct-reads", 1.5],
  ["list-append"],
  ["element-writes"],
  ["comparison"],
  ["list-iteration"],
  ["method-dispatch"],
  ["match-enums"],
  ["generator-pulls"],
  ["sort-comparator"],
  ["dict-growth"],
  ["locals"],
  ["parallel-each"],
];

const WARM = 5;
const ROUNDS = 15;
/** How often each side has its turn. */
const TURNS = 2;

function compile(name: string): ExecutableProgram {
  const file = join(folder, `${name}.harn`);
  const source = new SourceFile(file, readFileSync(file, "utf8"));
  const { program, diagnostics } = compileProgram(source, { parse, builtins: builtinTable() });
  if (program === undefined) throw new Error(`${name}: ${diagnostics.map((one) => one.message).join("; ")}`);
  return program;
}

async function runOnce(program: ExecutableProgram): Promise<RunOutcome> {
  const runtime = new Runtime({
    effects: new LiveEffects({ atRest: nodeAtRest(), seed: "bench" }),
    host: createNodeHost(),
    console: { write: () => {}, writeError: () => {} },
    builtins: builtinTable(),
  });
  return runProgram(runtime, program);
}

/** Result and the best time of one kernel here. */
export async function timeHere(name: string): Promise<{ result: unknown; ms: number }> {
  const program = compile(name);
  let outcome = await runOnce(program);
  for (let i = 0; i < WARM; i++) outcome = await runOnce(program);
  let best = Number.POSITIVE_INFINITY;
  for (let i = 0; i < ROUNDS; i++) {
    const begin = performance.now();
    await runOnce(program);
    best = Math.min(best, performance.now() - begin);
  }
  if (outcome.error !== undefined) throw new Error(`${name}: ${outcome.error.text}`);
  return { result: outcome.value, ms: best };
}

const faster = <T extends { readonly ms: number }>(a: T, b: T): T => (b.ms < a.ms ? b : a);

function timePython(name: string): { result: string; ms: number } | undefined {
  try {
    const output = execFileSync(
      "python3",
      [join(folder, "time-kernel.py"), join(folder, `${name}.py`), String(ROUNDS)],
      { encoding: "utf8" },
    );
    const [result, ms] = output.trim().split(" ") as [string, string];
    return { result, ms: Number(ms) };
  } catch {
    return undefined;
  }
}

export async function run(): Promise<readonly Row[]> {
  const rows: Row[] = [];
  const ratios: number[] = [];
  for (const [name, target] of kernels) {
    let here = await timeHere(name);
    let python = timePython(name);
    for (let turn = 1; turn < TURNS && python !== undefined; turn++) {
      here = faster(here, await timeHere(name));
      python = faster(python, timePython(name) ?? python);
    }
    if (python === undefined) {
      rows.push({ name: `interp ${name} (no python3 to compare)`, value: here.ms, unit: "ms" });
      continue;
    }
    if (String(here.result) !== python.result)
      throw new Error(`${name}: ${here.result} here, ${python.result} in Python`);
    ratios.push(here.ms / python.ms);
    rows.push({
      name: `interp ${name} / CPython (${here.ms.toFixed(2)} ms)`,
      value: here.ms / python.ms,
      unit: "x",
      ...(target !== undefined && { target: `<= ${target} x` }),
    });
  }
  const mean = Math.exp(ratios.reduce((sum, ratio) => sum + Math.log(ratio), 0) / ratios.length);
  if (ratios.length > 0) rows.push({ name: "interp geometric mean / CPython", value: mean, unit: "x" });
  return rows;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) printRows("interp", await run());
