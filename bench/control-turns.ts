/**
 * What the control plane costs a turn: the same loop with all of it on and with none of it, side by side in one process. The
 * model's answers are written beforehand, so the time is the runtime's own; every turn finds something new out and nothing is
 * compacted on the way (passes have figures of their own).
 */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { Dict, List } from "../src/values/index.ts";
import { median, printRows, type Row } from "./rows.ts";
import { timeTurns, vendorCounts } from "./timed-turns.ts";

/** All parts at once, the founding options of work that nobody watches, and a contract whose checks read. */
export const everythingOn = (): Dict =>
  Dict.of({
    control: "autonomous",
    compaction: Dict.of({ strategy: "ladder", max_input_tokens: 10_000_000, summarizer: false }),
    contract: Dict.of({
      goal: "Read all parts",
      required_outputs: new List([
        output("read", Dict.of({ type: "tool_result_success", tool: "read_part" })),
        output("found", Dict.of({ type: "contains_text", pattern: "part \\d+0000" })),
        output("written", Dict.of({ type: "file_exists", path: "/nowhere/report.md" })),
      ]),
    }),
    stall: true,
    jit: true,
    work_items: true,
  });

const output = (id: string, predicate: Dict): Dict => Dict.of({ id, description: id, predicate });

/** A contract of so many requirements that a turn does not touch. */
const untouched = (count: number): Dict =>
  Dict.of({
    completion: true,
    contract: Dict.of({
      goal: "Nothing of it changes",
      required_outputs: new List(
        Array.from({ length: count }, (_, n) =>
          output(`r${n}`, Dict.of({ type: "tool_result_success", tool: `other_${n}` })),
        ),
      ),
    }),
  });

const readPart = Dict.of({
  name: "read_part",
  description: "Reads a part.",
  parameters: Dict.of({ n: Dict.of({ type: "int" }) }),
  annotations: Dict.of({ kind: "read", side_effect_level: "read_only" }),
});

/** Runs a loop of so many turns; the milliseconds of each. `atEnd` looks when the last has begun. */
export const timeReading = (turns: number, options: Dict, atEnd?: () => void): Promise<number[]> =>
  timeTurns({
    turns,
    tool: readPart,
    options,
    ...(atEnd === undefined ? { usage: vendorCounts } : {}),
    answer: (n) => {
      if (n === turns - 1) atEnd?.();
      return `part ${n}: and so it goes on`;
    },
  });

/** Turns 50 to 250 are warm in the first run already: later turns are measured against them. */
const around = (times: readonly number[], from: number): number => median(times.slice(from, from + 200));

/** How much a late turn costs against an early one. Of several runs the least of each counts: a busy machine only adds. */
const growthOf = (runs: readonly (readonly number[])[]): number =>
  Math.min(...runs.map((run) => around(run, 4800))) / Math.min(...runs.map((run) => around(run, 50)));

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

/**
 * Megabytes on the heap in the last of so many turns. The view is bounded, so that a view that only grows does not hide what
 * is kept beside it.
 */
async function heapAt(turns: number, more: Dict): Promise<number> {
  let used = 0;
  await timeReading(turns, more, () => {
    collect();
    collect();
    used = process.memoryUsage().heapUsed;
  });
  return used / 1e6;
}

export async function turnRows(): Promise<Row[]> {
  await timeReading(400, new Dict());
  await timeReading(400, everythingOn());
  const beyond: number[] = [];
  const ratios: number[] = [];
  for (let n = 0; n < 7; n++) {
    const bare = await timeReading(1021, new Dict());
    const full = await timeReading(1021, everythingOn());
    beyond.push(median(full) - median(bare));
    ratios.push(median(full) / median(bare));
  }
  const looks: number[] = [];
  for (let n = 0; n < 5; n++) {
    const one = await timeReading(1021, untouched(1));
    const many = await timeReading(1021, untouched(20));
    looks.push(median(many) - median(one));
  }
  const long: number[][] = [];
  const bareLong: number[][] = [];
  for (let n = 0; n < 5; n++) {
    long.push(await timeReading(5021, everythingOn()));
    bareLong.push(await timeReading(5021, new Dict()));
  }
  const bounded = { transcript_projection: Dict.of({ policy: "summary_prefix", keep_last: 12 }) };
  const climbing = { compaction: Dict.of({ strategy: "ladder", max_input_tokens: 8000, summarizer: false }) };
  const plain = await heapAt(10_000, Dict.of(bounded));
  const kept = await heapAt(10_000, everythingOn().merge(Dict.of(bounded)));
  const climbed = await heapAt(10_000, everythingOn().merge(Dict.of(climbing)));
  return [
    {
      name: "a turn with everything on, beyond one without",
      value: median(beyond),
      unit: "ms",
      target: "<= 0.10 ms",
    },
    { name: "  against one without", value: median(ratios), unit: "x", target: "" },
    {
      name: "  turn 5,000 against turn 50",
      value: growthOf(long),
      unit: "x",
      target: "<= 1.2 x",
    },
    { name: "  the same of a loop without", value: growthOf(bareLong), unit: "x" },
    {
      name: "20 cheap requirements, nothing of them touched",
      value: median(looks),
      unit: "ms",
      target: "<= 0.1 ms",
    },
    {
      name: "memory of 10,000 turns, beyond a loop without",
      value: kept - plain,
      unit: "MB",
      target: "<= 20 MB",
    },
    { name: "  with passes at a budget of 8,000 tokens", value: climbed - plain, unit: "MB", target: "" },
  ];
}

if (import.meta.main) printRows("control", await turnRows());
