/**
 * Interpreter kernels: the same work in `kernels/<name>.harn`, `.py`, `.lua` and `.js`, each warm in one process (after
 * one round), with the same checked result. The rows are time relative to CPython, to Lua and to plain JavaScript (below
 * 1 is faster here). All sides take turns and their best rounds are compared: what else runs on the machine only ever
 * makes a round slower. A language that is not installed has no rows.
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

export const kernelFolder = join(dirname(fileURLToPath(import.meta.url)), "kernels");

/** The kernels with what is asked of the ratio to CPython: 1.3 unless said otherwise. */
export const kernels: readonly (readonly [name: string, target: number])[] = [
  ["arithmetic", 0.25],
  ["comparison", 1.3],
  ["dict-reads", 1.3],
  ["calls", 1.3],
  ["list-iteration", 1.3],
  ["map-filter", 1.3],
  ["locals", 1.3],
  ["method-dispatch", 1.3],
  ["recursion", 1.3],
  ["interpolation", 1.3],
  ["string-building", 1.3],
  ["struct-reads", 1.3],
  ["match-enums", 1.3],
  ["list-append", 1.3],
  ["element-writes", 1.3],
  ["dict-growth", 1.3],
  ["generator-pulls", 1.3],
  ["parallel-each", 1.3],
  ["sort-comparator", 1.3],
];

/** The languages compared with: the program that times a kernel, and what its files end in. */
const others = [
  { name: "CPython", command: "python3", timer: "time-kernel.py", ending: "py" },
  { name: "Lua", command: "lua5.4", timer: "time-kernel.lua", ending: "lua" },
  { name: "JavaScript", command: process.execPath, timer: "time-kernel.js", ending: "js" },
] as const;

const ROUNDS = 15;
/** How often each side has its turn. */
const TURNS = 4;

interface Timed {
  readonly result: string;
  readonly ms: number;
}

/** Compiles a script, which must be right. */
export function compileText(name: string, text: string): ExecutableProgram {
  const { program, diagnostics } = compileProgram(new SourceFile(name, text), {
    parse,
    builtins: builtinTable(),
  });
  if (program === undefined) throw new Error(`${name}: ${diagnostics.map((one) => one.message).join("; ")}`);
  return program;
}

/** Runs a program with a fresh runtime; what it prints goes to `write`. Its error, if any, is thrown. */
export async function runOnce(
  program: ExecutableProgram,
  write: (text: string) => void = () => {},
): Promise<RunOutcome> {
  const runtime = new Runtime({
    effects: new LiveEffects({ atRest: nodeAtRest(), seed: "bench" }),
    host: createNodeHost(),
    console: { write, writeError: () => {} },
    builtins: builtinTable(),
  });
  const outcome = await runProgram(runtime, program);
  if (outcome.error !== undefined) throw new Error(outcome.error.text);
  return outcome;
}

/** Result and the best time of one kernel here. */
export async function timeHere(name: string): Promise<Timed> {
  const file = join(kernelFolder, `${name}.harn`);
  const program = compileText(file, readFileSync(file, "utf8"));
  const { value } = await runOnce(program);
  let best = Number.POSITIVE_INFINITY;
  for (let i = 0; i < ROUNDS; i++) {
    const begin = performance.now();
    await runOnce(program);
    best = Math.min(best, performance.now() - begin);
  }
  return { result: String(value), ms: best };
}

type Other = (typeof others)[number];

function timeThere(other: Other, name: string): Timed {
  const output = execFileSync(
    other.command,
    [join(kernelFolder, other.timer), join(kernelFolder, `${name}.${other.ending}`), String(ROUNDS)],
    { encoding: "utf8" },
  );
  const [result, ms] = output.trim().split(" ") as [string, string];
  return { result, ms: Number(ms) };
}

function installed(command: string): boolean {
  try {
    execFileSync(command, [command.startsWith("lua") ? "-v" : "--version"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

const faster = (a: Timed, b: Timed): Timed => (b.ms < a.ms ? b : a);

/** Best times of one kernel: first here, then in each of `compared`. */
async function timeKernel(name: string, compared: readonly Other[]): Promise<readonly Timed[]> {
  const best: Timed[] = [];
  for (let turn = 0; turn < TURNS; turn++) {
    const timed = [await timeHere(name), ...compared.map((other) => timeThere(other, name))];
    timed.forEach((one, at) => {
      best[at] = turn === 0 ? one : faster(best[at]!, one);
    });
  }
  const [here, ...there] = best as [Timed, ...Timed[]];
  there.forEach((one, at) => {
    if (one.result !== here.result)
      throw new Error(`${name}: ${here.result} here, ${one.result} in ${compared[at]!.name}`);
  });
  return best;
}

const geometricMean = (ratios: readonly number[]): number =>
  Math.exp(ratios.reduce((sum, ratio) => sum + Math.log(ratio), 0) / ratios.length);

export async function run(): Promise<readonly Row[]> {
  const compared = others.filter((other) => installed(other.command));
  const rows: Row[] = [];
  const ratios: number[][] = compared.map(() => []);
  for (const [name, target] of kernels) {
    const [here, ...there] = (await timeKernel(name, compared)) as [Timed, ...Timed[]];
    rows.push({ name, value: here.ms, unit: "ms" });
    there.forEach((one, at) => {
      const ratio = here.ms / one.ms;
      ratios[at]!.push(ratio);
      const toPython = compared[at]!.name === "CPython";
      rows.push({
        name: `  / ${compared[at]!.name} (${one.ms.toFixed(2)} ms)`,
        value: ratio,
        unit: "x",
        ...(toPython && { target: `<= ${target} x${ratio > target ? " MISSED" : ""}` }),
      });
    });
  }
  compared.forEach((other, at) => {
    const target = other.name === "CPython" ? { target: "<= 0.5 x" } : {};
    rows.push({
      name: `geometric mean / ${other.name}`,
      value: geometricMean(ratios[at]!),
      unit: "x",
      ...target,
    });
  });
  return rows;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) printRows("kernels", await run());
