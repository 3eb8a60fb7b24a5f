/**
 * Effects and tasks: what a cheap effect costs live, recorded and replayed; what a switch between tasks and a parked task
 * cost. Scripts are the real ones, over a host whose clock answers at once; each figure is the middle of some rounds.
 */
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { builtinTable } from "../src/builtins/index.ts";
import { type Effects, LiveEffects, RecordingEffects, ReplayEffects, Secrets } from "../src/effects/index.ts";
import { createNodeHost, HostError, nodeAtRest, nodeDigest, nodeOutputHash } from "../src/host/index.ts";
import { Runtime, runGuarded } from "../src/interp/index.ts";
import { compileProgram, type ExecutableProgram, runProgram } from "../src/lower/index.ts";
import { SourceFile } from "../src/source/index.ts";
import { createJournalFile, journalOfFile } from "../src/store/index.ts";
import { parse } from "../src/syntax/index.ts";
import { type Benchmark, median, printRows, type Row } from "./rows.ts";

const EFFECTS = 20_000;
const SWITCHES = 100_000;
const PARKED = 100_000;
const ROUNDS = 5;

const looks = `var i = 0
var last = 0
while i < ${EFFECTS} {
  last = now_ms()
  i = i + 1
}`;
const waits = `var i = 0
while i < ${EFFECTS / 4} {
  sleep(1)
  i = i + 1
}`;
const switches = `let a = channel("a", 1)
let b = channel("b", 1)
spawn { for x in a { send(b, x) } }
var i = 0
while i < ${SWITCHES / 4} {
  send(a, i)
  receive(b)
  i = i + 1
}`;
const parked = `let gate = channel("gate", 1)
var i = 0
while i < ${PARKED} {
  spawn { receive(gate) }
  i = i + 1
}
sleep(1)
println(memory())`;

function compile(text: string): ExecutableProgram {
  const { program, diagnostics } = compileProgram(new SourceFile("bench.harn", text), {
    parse,
    builtins: table,
  });
  if (program === undefined) throw new Error(diagnostics.map((one) => one.message).join("; "));
  return program;
}

let heapAtRest = 0;
const table = new Map(builtinTable());
table.set("memory", {
  name: "memory",
  area: "bench",
  doc: "Notes the heap in use.",
  sig: "() -> int",
  effect: "state",
  suspends: "never",
  run: () => {
    heapAtRest = heap();
    return heapAtRest;
  },
});

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

function heap(): number {
  collect();
  return process.memoryUsage().heapUsed;
}

/** Milliseconds of one run. Its host's `sleep` is over at the next turn of the loop, so only our own time is seen. */
async function time(program: ExecutableProgram, effects: Effects): Promise<number> {
  const node = createNodeHost();
  const host = Object.create(node, {
    clock: { value: { ...node.clock, sleep: async () => {} } },
  }) as typeof node;
  const runtime = new Runtime({
    effects,
    host,
    console: { write: () => {}, writeError: () => {} },
    builtins: table,
  });
  const began = performance.now();
  const ended = await runGuarded(runtime, () => runProgram(runtime, program), {
    end: () => ({ reason: "done", exitCode: 0 }),
  });
  const ms = performance.now() - began;
  if (ended.kind === "problem") throw new Error(ended.problem.message);
  if (ended.outcome?.error !== undefined) throw new Error(ended.outcome.error.text);
  return ms;
}

const live = (): Effects => new LiveEffects({ atRest: nodeAtRest(), seed: "bench" });

function record(file: string): Effects {
  return new RecordingEffects({
    atRest: nodeAtRest(),
    seed: "bench",
    writer: createJournalFile(file),
    digest: nodeDigest,
    secrets: new Secrets(),
    outputHash: nodeOutputHash(),
    run: { run: "bench", runtime: "bench", platform: {}, argv: [], entry: "bench", cwd: "/", options: null },
  });
}

function replay(file: string): Effects {
  return new ReplayEffects({
    atRest: nodeAtRest(),
    journal: journalOfFile(file),
    digest: nodeDigest,
    secrets: new Secrets(),
    outputHash: nodeOutputHash(),
    hostError: (code, message) => new HostError(code, message),
  });
}

async function rounds(program: ExecutableProgram, effects: () => Effects): Promise<number> {
  const times: number[] = [];
  for (let i = 0; i < ROUNDS; i++) times.push(await time(program, effects()));
  return median(times);
}

/** Live, recorded and replayed (the reading of the file included), per effect. */
async function effectRows(kind: string, text: string, count: number, file: string): Promise<Row[]> {
  const program = compile(text);
  const lived = await rounds(program, live);
  const recorded = await rounds(program, () => record(file));
  const replayed = await rounds(program, () => replay(file));
  const reading = performance.now();
  journalOfFile(file);
  const read = performance.now() - reading;
  const perSecond = count / ((replayed + read) / 1000);
  return [
    { name: `${kind}: live`, value: (lived * 1000) / count, unit: "µs/effect" },
    {
      name: `${kind}: recorded`,
      value: (recorded * 1000) / count,
      unit: "µs/effect",
      target: "≤ 100 buffered",
    },
    { name: `${kind}: replayed`, value: perSecond, unit: "effects/s", target: "≥ 50,000" },
    { name: `${kind}: journal`, value: statSync(file).size / count, unit: "bytes/effect" },
  ];
}

export const run: Benchmark = async () => {
  const folder = mkdtempSync(join(tmpdir(), "harn-bench-"));
  try {
    const file = join(folder, "run.journal");
    const rows = await effectRows("look at the clock", looks, EFFECTS, file);
    rows.push(...(await effectRows("sleep", waits, EFFECTS / 4, file)));
    const switching = await rounds(compile(switches), live);
    rows.push({ name: "task switch", value: (switching * 1000) / SWITCHES, unit: "µs" });
    const before = heap();
    await time(compile(parked), live());
    rows.push({
      name: "parked task",
      value: (heapAtRest - before) / PARKED / 1024,
      unit: "kB",
      target: "< 4",
    });
    return rows;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

if (import.meta.main) printRows("replay", await run());
