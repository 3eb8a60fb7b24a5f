/**
 * The store: what an append costs, how many durable effects a second 100 tasks get through, what one waits for the disk
 * itself, how fast a run is followed when it goes on, and how many bytes a turn of a growing conversation takes.
 */
import { closeSync, fdatasyncSync, mkdtempSync, openSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Effects } from "../src/effects/index.ts";
import {
  JournalledEffects,
  type Json,
  journalFormat,
  pack,
  Recorder,
  ResumingEffects,
  resumePoint,
  Secrets,
  shape,
} from "../src/effects/index.ts";
import { createNodeHost, HostError, nodeAtRest, nodeDigest, nodeOutputHash } from "../src/host/index.ts";
import { Runtime, runGuarded, Task } from "../src/interp/index.ts";
import { openStore, type Store } from "../src/store/index.ts";
import { type Benchmark, median, printRows, type Row } from "./rows.ts";

const TASKS = 100;
const EACH = 50;
const CHEAP = 10_000;
const TURNS = 1_000;
const ROUNDS = 5;

const info = { runtime: "bench", platform: {}, argv: [], entry: "bench", cwd: "/", options: null };
let runs = 0;

function begin(store: Store): { effects: JournalledEffects; name: string } {
  const name = `bench-${runs++}`;
  const open = (): Recorder => {
    const writer = store.runs.begin(name);
    const parts = { digest: nodeDigest, secrets: new Secrets(), outputHash: nodeOutputHash() };
    const recorder = new Recorder({ writer, ...parts });
    recorder.begin({ run: name, ...info }, "bench");
    return recorder;
  };
  return { name, effects: new JournalledEffects({ atRest: nodeAtRest(), seed: "bench", open }) };
}

/** Runs native code as a program: its effects alone are measured. */
async function time(
  effects: Effects,
  body: (task: Task, runtime: Runtime) => Promise<void>,
): Promise<number> {
  const runtime = new Runtime({
    effects,
    host: createNodeHost(),
    console: { write: () => {}, writeError: () => {} },
    builtins: new Map(),
  });
  const task = new Task(runtime, undefined, "task_root", effects.root);
  const began = performance.now();
  const end = (): { reason: "done"; exitCode: number } => ({ reason: "done", exitCode: 0 });
  const ended = await runGuarded(runtime, () => body(task, runtime), { end });
  if (ended.kind === "problem") throw new Error(ended.problem.message);
  return performance.now() - began;
}

const plain = { result: shape.json };

/** 100 tasks, each with effects that must be durable before they start. */
async function durableEffects(store: Store): Promise<number> {
  const ms = await time(begin(store).effects, async (task, runtime) => {
    const one = async (at: number): Promise<void> => {
      const own = new Task(runtime, task, `t${at}`, runtime.effects.child(task.scope));
      const args = (): Json => ["some", "arguments", "x".repeat(200)];
      const run = async (): Promise<Json> => "a result";
      for (let i = 0; i < EACH; i++) {
        await own.perform<Json>({ effect: "write", kind: "bench", deferred: true, args, run, ...plain });
      }
    };
    await Promise.all(Array.from({ length: TASKS }, (_, at) => one(at)));
  });
  return (TASKS * EACH) / (ms / 1000);
}

async function cheap(task: Task): Promise<void> {
  for (let i = 0; i < CHEAP; i++) {
    task.perform<Json>({ effect: "observe", kind: "clock.now", args: () => null, run: () => i, ...plain });
  }
}

/** Milliseconds until a run of cheap effects has been followed to its end. */
async function follow(store: Store, name: string): Promise<number> {
  const began = performance.now();
  const journal = store.runs.read(name);
  const { history } = resumePoint(journal);
  const parts = { digest: nodeDigest, secrets: new Secrets(), outputHash: nodeOutputHash() };
  const onward = (): Recorder => {
    const recorder = new Recorder({ writer: store.runs.take(name), ...parts });
    recorder.append({ t: "resume", keep: history.records.length, runtime: "bench" });
    return recorder;
  };
  const effects = new ResumingEffects({
    ...parts,
    atRest: nodeAtRest(),
    seed: "bench",
    history,
    shown: 0,
    acceptChanges: false,
    onDoubt: "ask",
    reportInDoubt: () => {},
    hostError: (code, message) => new HostError(code, message),
    onward,
  });
  await time(effects, cheap);
  return performance.now() - began;
}

/** Packed bytes of one more turn, beside the bytes of what is new in it. */
function bytesPerTurn(): (turn: number) => number {
  const stored = new Set<string>();
  let written = 0;
  const sink = {
    put: (hash: string, text: string) => {
      if (stored.has(hash)) return;
      stored.add(hash);
      // The content, and its key in the table and in the list of a run's pieces.
      written += text.length + 16 + 12;
    },
  };
  const messages: Json[] = [];
  const ratios: number[] = [];
  for (let turn = 0; turn < TURNS; turn++) {
    const fresh: Json[] = [
      { role: "assistant", content: `turn ${turn} ${"thinks about it ".repeat(60)}`, tool_calls: [] },
      { role: "tool", tool_call_id: `call_${turn}`, content: `${turn} ${"what a tool said ".repeat(120)}` },
    ];
    messages.push(...fresh);
    written = 0;
    const packed = pack(
      { request: { model: "m", messages: [...messages] } },
      nodeDigest,
      sink,
      journalFormat,
      "sorted",
    );
    written += JSON.stringify(packed).length;
    ratios.push(written / JSON.stringify(fresh).length);
  }
  return (turn) => ratios[turn - 1] ?? Number.NaN;
}

function fsyncMs(folder: string): number {
  const file = openSync(join(folder, "sync"), "w");
  const samples = Array.from({ length: 50 }, () => {
    writeSync(file, "x".repeat(4096));
    const began = performance.now();
    fdatasyncSync(file);
    return performance.now() - began;
  });
  closeSync(file);
  return median(samples);
}

export const run: Benchmark = async () => {
  const folder = mkdtempSync(join(tmpdir(), "harn-bench-store-"));
  const store = openStore(folder);
  try {
    const rows: Row[] = [{ name: "the disk: fdatasync", value: fsyncMs(folder), unit: "ms" }];
    const rounds = async (once: () => Promise<number>): Promise<number> => {
      const times: number[] = [];
      for (let i = 0; i < ROUNDS; i++) times.push(await once());
      return median(times);
    };
    rows.push({
      name: `durable effects, ${TASKS} tasks`,
      value: await rounds(() => durableEffects(store)),
      unit: "/s",
      target: "≥ 5,000",
    });
    const recorded = await rounds(() => time(begin(store).effects, cheap));
    rows.push({ name: "append, buffered", value: (recorded * 1000) / CHEAP, unit: "µs", target: "≤ 100" });
    const { name, effects } = begin(store);
    await time(effects, cheap);
    const first = await follow(store, name);
    rows.push({ name: `${CHEAP} effects followed again`, value: first, unit: "ms", target: "< 1000" });
    rows.push({ name: "followed", value: CHEAP / (first / 1000), unit: "/s", target: "≥ 50,000" });
    const bytes = bytesPerTurn();
    for (const turn of [10, 100, 1000]) {
      rows.push({
        name: `bytes written at turn ${turn}`,
        value: bytes(turn),
        unit: "x",
        target: "≤ 1.2 x new",
      });
    }
    return rows;
  } finally {
    store.close();
    rmSync(folder, { recursive: true, force: true });
  }
};

if (import.meta.main) printRows("store", await run());
