/**
 * What one agent turn costs us: a turn with one tool call against the mock, with nothing outside (no network, no disk): context,
 * request, mock, parse, dispatch of a native handler, recording, decision.
 *
 * Turn 1,000 is compared with turn 50 in the same loop, by the middle of 40 turns around each: everything a turn does
 * must cost the same however long the conversation behind it is. The transcript is kept whole and sent whole; the last
 * two figures are those of a loop with a bounded projection and everything on that shapes its context.
 */

import {
  type Effects,
  MemoryJournal,
  RecordingEffects,
  ReplayEffects,
  Secrets,
} from "../src/effects/index.ts";
import { HostError, nodeAtRest, nodeDigest, nodeOutputHash } from "../src/host/index.ts";
import { Dict } from "../src/values/index.ts";
import { median, printRows, type Row } from "./rows.ts";
import { liveEffects, timeTurns, vendorCounts } from "./timed-turns.ts";

/** What shapes the context, all of it, with a view that does not grow. */
const everySubsystem = Dict.of({
  transcript_projection: Dict.of({ policy: "summary_prefix", keep_last: 12 }),
  compaction: Dict.of({ strategy: "truncate", keep_last: 100, threshold: 20_000 }),
  scratchpad: Dict.of({ reorganizer: false }),
  stall_diagnostics: true,
  progress_tool: true,
  timestamp_messages: true,
  prompts: Dict.of({ "agent.default_nudge": Dict.of({ text: "Go on." }) }),
});

const step = Dict.of({
  name: "step",
  description: "One step.",
  parameters: Dict.of({ n: Dict.of({ type: "int" }) }),
});

/** Runs one loop of so many turns; gives the time of each turn in milliseconds. */
const timeSteps = (turns: number, effects: Effects, format: string, more = new Dict()): Promise<number[]> =>
  timeTurns({
    turns,
    effects,
    tool: step,
    answer: () => "fine",
    usage: vendorCounts,
    options: Dict.of({ tool_format: format }).merge(more),
  });

const recording = (writer: MemoryJournal): RecordingEffects =>
  new RecordingEffects({
    atRest: nodeAtRest(),
    seed: "bench",
    writer,
    digest: nodeDigest,
    secrets: new Secrets(),
    outputHash: nodeOutputHash(),
    run: { run: "bench", runtime: "0", platform: {}, argv: [], entry: "bench", cwd: "/", options: null },
  });

const replaying = (journal: MemoryJournal): ReplayEffects =>
  new ReplayEffects({
    atRest: nodeAtRest(),
    journal: journal.read(),
    digest: nodeDigest,
    secrets: new Secrets(),
    outputHash: nodeOutputHash(),
    hostError: (code, message) => new HostError(code, message),
  });

/** The same turns as they ran and as they are followed, by turns: the machine is the same for both. */
async function replayedAgainstRun(rounds: number): Promise<number> {
  const ratios: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const journal = new MemoryJournal();
    const ran = await timeSteps(1021, recording(journal), "native");
    const replayed = await timeSteps(1021, replaying(journal), "native");
    ratios.push(median(replayed) / median(ran));
  }
  return median(ratios);
}

const around = (times: readonly number[], turn: number): number => median(times.slice(turn - 20, turn + 20));

export async function run(): Promise<Row[]> {
  await timeSteps(400, liveEffects(), "native");
  const native: number[][] = [];
  for (let n = 0; n < 5; n++) native.push(await timeSteps(1021, liveEffects(), "native"));
  const text = await timeSteps(1021, liveEffects(), "text");
  const recorded = await timeSteps(1021, recording(new MemoryJournal()), "native");
  await timeSteps(1000, liveEffects(), "native", everySubsystem);
  const projected = await timeSteps(5021, liveEffects(), "native", everySubsystem);
  const ratio = (times: readonly number[]): number => around(times, 1000) / around(times, 50);
  return [
    { name: "turn with a tool call, native", value: median(native.flat()), unit: "ms", target: "<= 1 ms" },
    { name: "turn with a tool call, text", value: median(text), unit: "ms", target: "<= 1 ms" },
    { name: "turn with a tool call, recorded", value: median(recorded), unit: "ms", target: "<= 1 ms" },
    {
      name: "turn followed again against its run",
      value: await replayedAgainstRun(5),
      unit: "x",
      target: "<= 1 x",
    },
    { name: "turn 1,000 against turn 50", value: median(native.map(ratio)), unit: "x", target: "<= 1.3 x" },
    {
      name: "turn, every subsystem on, projected",
      value: around(projected, 5000),
      unit: "ms",
      target: "<= 0.25 ms",
    },
    {
      name: "turn 5,000 against turn 50, projected",
      value: around(projected, 5000) / around(projected, 50),
      unit: "x",
      target: "<= 1.2 x",
    },
  ];
}

if (import.meta.main) printRows("turn", await run());
