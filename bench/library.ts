/**
 * The library against plain Node (issue 5): many small files, big lists, big texts, patterns that explode elsewhere. Each
 * script times itself; every figure is the middle of some rounds, and only ratios within one run count.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { builtinGlobals, builtinTable } from "../src/builtins/index.ts";
import {
  type Effects,
  type JournalWriter,
  LiveEffects,
  RecordingEffects,
  Secrets,
} from "../src/effects/index.ts";
import { createNodeHost, nodeAtRest, nodeDigest, nodeOutputHash } from "../src/host/index.ts";
import { Runtime, runGuarded } from "../src/interp/index.ts";
import { compileProgram, runProgram } from "../src/lower/index.ts";
import { SourceFile } from "../src/source/index.ts";
import { createJournalFile, openStore } from "../src/store/index.ts";
import { parse } from "../src/syntax/index.ts";
import { type Benchmark, median, printRows, type Row } from "./rows.ts";

const FILES = 10_000;
const AT_ONCE = 64;
const INTS = 1_000_000;
const TEXT = 50 * 1024 * 1024;
const ROUNDS = 3;

/** What a script prints, line by line, as numbers. */
async function timesOf(text: string, folder: string, effects?: Effects): Promise<number[]> {
  const { program, diagnostics } = compileProgram(new SourceFile("bench.harn", text), {
    parse,
    builtins: builtinTable(),
    globals: builtinGlobals,
  });
  if (program === undefined) throw new Error(diagnostics.map((one) => one.message).join("; "));
  let printed = "";
  const runtime = new Runtime({
    effects: effects ?? new LiveEffects({ atRest: nodeAtRest(), seed: "bench" }),
    host: createNodeHost({ cwd: folder }),
    console: { write: (piece) => (printed += piece), writeError: (piece) => process.stderr.write(piece) },
    builtins: builtinTable(),
  });
  const ended = await runGuarded(runtime, () => runProgram(runtime, program), {
    end: ({ exitCode }) => ({ reason: "done", exitCode }),
  });
  if (ended.kind !== "ended" || ended.outcome.error !== undefined) throw new Error(JSON.stringify(ended));
  return printed.trim().split("\n").map(Number);
}

const timed = (body: string): string =>
  `let began = monotonic_ms()\n${body}\nprintln(monotonic_ms() - began)\n`;

const readAll = timed(
  `let texts = parallel each range(${FILES}).iter().to_list() with { max_concurrent: ${AT_ONCE} } { n -> read_file("small/\${n}.txt") }\nassert(len(texts) == ${FILES})`,
);

async function nodeReadsAll(folder: string): Promise<number> {
  const began = performance.now();
  let next = 0;
  const texts: string[] = new Array(FILES);
  const reader = async (): Promise<void> => {
    while (next < FILES) {
      const n = next++;
      texts[n] = await readFile(join(folder, `small/${n}.txt`), "utf8");
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, reader));
  return performance.now() - began;
}

function recorded(writer: JournalWriter, folder: string): Effects {
  return new RecordingEffects({
    atRest: nodeAtRest(),
    seed: "bench",
    writer,
    digest: nodeDigest,
    secrets: new Secrets(),
    outputHash: nodeOutputHash(),
    run: { run: "bench", runtime: "0", platform: {}, argv: [], entry: "bench", cwd: folder, options: null },
  });
}

/** A list's operations, each in a line of its own; the same in JavaScript. */
const lists = `let xs = read_file("ints.txt").split(" ").map(to_int)
fn ms(body) { let began = monotonic_ms()
  body()
  return monotonic_ms() - began }
println(ms({ -> xs.sort() }))
println(ms({ -> xs.group_by({ x -> x % 1000 }) }))
println(ms({ -> xs.join(",") }))`;

const sum = (a: number, b: number): number => a - b;

function nodeLists(xs: readonly number[]): number[] {
  return [() => [...xs].sort(sum), () => Object.groupBy(xs, (x) => String(x % 1000)), () => xs.join(",")].map(
    milliseconds,
  );
}

function milliseconds(body: () => unknown): number {
  const began = performance.now();
  body();
  return performance.now() - began;
}

const texts = `let text = read_file("big.txt")
let json = read_file("big.json")
fn ms(body) { let began = monotonic_ms()
  body()
  return monotonic_ms() - began }
println(ms({ -> text.split(",") }))
println(ms({ -> json_parse(json) }))`;

const explosive = `let text = "a".repeat(1048576) + "!"
fn ms(body) { let began = monotonic_ms()
  body()
  return monotonic_ms() - began }
println(ms({ -> regex_match("(a+)+$", text) }))
println(ms({ -> regex_match("^(a|aa)+$", text) }))`;

function fixtures(folder: string): { ints: number[]; text: string; json: string } {
  mkdirSync(join(folder, "small"));
  for (let n = 0; n < FILES; n++) writeFileSync(join(folder, `small/${n}.txt`), `file ${n}\n`.repeat(100));
  const ints = Array.from({ length: INTS }, (_, i) => (i * 7_919 + 13) % 1_000_003);
  const text = "some,words and,".repeat(Math.ceil(TEXT / 15)).slice(0, TEXT);
  const item = { id: 1, name: "a name", tags: ["x", "y"], share: 0.25, ok: true, none: null };
  const items = Array.from({ length: Math.ceil(TEXT / 80) }, (_, id) => ({ ...item, id }));
  const json = JSON.stringify(items);
  writeFileSync(join(folder, "ints.txt"), ints.join(" "));
  writeFileSync(join(folder, "big.txt"), text);
  writeFileSync(join(folder, "big.json"), json);
  return { ints, text, json };
}

/** The middle of each column. */
async function rounds(run: (round: number) => Promise<number[]> | number[]): Promise<number[]> {
  const all: number[][] = [];
  for (let round = 0; round < ROUNDS; round++) all.push(await run(round));
  return (all[0] as number[]).map((_, column) => median(all.map((row) => row[column] as number)));
}

export const run: Benchmark = async () => {
  const folder = mkdtempSync(join(tmpdir(), "harn-bench-library-"));
  try {
    const { ints, text, json } = fixtures(folder);
    const [plain] = await rounds(async () => [await nodeReadsAll(folder)]);
    const [live] = await rounds(() => timesOf(readAll, folder));
    const [written] = await rounds((round) =>
      timesOf(readAll, folder, recorded(createJournalFile(join(folder, `journal-${round}`)), folder)),
    );
    // A store of its own each time: what it holds already would not be written again.
    const [stored] = await rounds((round) =>
      timesOf(
        readAll,
        folder,
        recorded(openStore(join(folder, `state-${round}`)).runs.begin("bench"), folder),
      ),
    );
    const inNode = await rounds(() => nodeLists(ints));
    const inScript = await rounds(() => timesOf(lists, folder));
    const textNode = await rounds(() => [
      milliseconds(() => text.split(",")),
      milliseconds(() => JSON.parse(json)),
    ]);
    const textScript = await rounds(() => timesOf(texts, folder));
    const regex = await rounds(() => timesOf(explosive, folder));
    const ratio = (
      name: string,
      script: number | undefined,
      node: number | undefined,
      target: string,
    ): Row => ({
      name,
      value: (script ?? Number.NaN) / (node ?? Number.NaN),
      unit: "x",
      target,
    });
    return [
      ratio("10,000 small files, 64 at once", live, plain, "<= 2 x Node"),
      ratio("the same, recorded in the store", stored, plain, "<= 5 x Node"),
      ratio("the same, recorded in a file", written, plain, "<= 5 x Node"),
      ratio("sort 10^6 ints", inScript[0], inNode[0], "<= 3 x Node"),
      ratio("group_by 10^6 ints", inScript[1], inNode[1], "<= 3 x Node"),
      ratio("join 10^6 ints", inScript[2], inNode[2], "<= 3 x Node"),
      ratio("split 50 MB", textScript[0], textNode[0], "<= 3 x Node"),
      ratio("json_parse 50 MB", textScript[1], textNode[1], "<= 5 x Node"),
      { name: "(a+)+$ on 1 MB", value: regex[0] ?? Number.NaN, unit: "ms", target: "< 1000 ms" },
      { name: "^(a|aa)+$ on 1 MB", value: regex[1] ?? Number.NaN, unit: "ms", target: "< 1000 ms" },
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

if (import.meta.main) printRows("library", await run());
