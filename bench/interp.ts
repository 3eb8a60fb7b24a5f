/**
 * Interpreter kernels against CPython: the same work in `kernels/<name>.harn` and `.py`, each warm in one process, the
 * middle of some rounds. The rows are time relative to CPython (below 1 is faster).
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
import { median, printRows, type Row } from "./rows.ts";

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

/** Result and the middle time of one kernel here. */
export async function timeHere(name: string): Promise<{ result: unknown; ms: number }> {
  const program = compile(name);
  let outcome = await runOnce(program);
  for (let i = 0; i < WARM; i++) outcome = await runOnce(program);
  const times: number[] = [];
  for (let i = 0; i < ROUNDS; i++) {
    const begin = performance.now();
    await runOnce(program);
    times.push(performance.now() - begin);
  }
  if (outcome.error !== undefined) throw new Error(`${name}: ${outcome.error.text}`);
  return { result: outcome.value, ms: median(times) };
}

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
  for (const [name, target] of kernels) {
    const here = await timeHere(name);
    const python = timePython(name);
    if (python === undefined) {
      rows.push({ name: `interp ${name} (no python3 to compare)`, value: here.ms, unit: "ms" });
      continue;
    }
    if (String(here.result) !== python.result)
      throw new Error(`${name}: ${here.result} here, ${python.result} in Python`);
    rows.push({
      name: `interp ${name} / CPython (${here.ms.toFixed(2)} ms)`,
      value: here.ms / python.ms,
      unit: "x",
      ...(target !== undefined && { target: `<= ${target} x` }),
    });
  }
  return rows;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) printRows("interp", await run());
