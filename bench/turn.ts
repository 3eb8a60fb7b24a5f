/**
 * What one agent turn costs us: a turn with one tool call against the mock, with nothing outside (no network, no disk).
 * The model's answer is written beforehand, so all the time measured is our own: context, request, mock, parse,
 * dispatch of a native handler, recording, decision.
 *
 * Turn 1,000 is compared with turn 50 in the same loop, by the middle of 40 turns around each: everything a turn does
 * must cost the same however long the conversation behind it is. The transcript is kept whole and sent whole; the last
 * two figures are those of a loop with a bounded projection and everything on that shapes its context.
 */

import { builtinTable } from "../src/builtins/index.ts";
import {
  type Effects,
  LiveEffects,
  MemoryJournal,
  RecordingEffects,
  ReplayEffects,
  Secrets,
} from "../src/effects/index.ts";
import { createNodeHost, HostError, nodeAtRest, nodeDigest, nodeOutputHash } from "../src/host/index.ts";
import { Runtime, Task } from "../src/interp/index.ts";
import { modelsOf } from "../src/model/index.ts";
import { pushMock } from "../src/model/llm/index.ts";
import { loadAgentLoop } from "../src/skills/index.ts";
import { Callable, Dict, List, type Value } from "../src/values/index.ts";
import { median, printRows, type Row } from "./rows.ts";

class Handler extends Callable {
  override readonly name = "step";
  override readonly params: readonly string[] = ["args"];
  /** When each call came. */
  readonly at: number[] = [];
  override call(): Value {
    this.at.push(performance.now());
    return "fine";
  }
}
Object.defineProperty(Handler.prototype, "type", { value: "closure" });

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

/** Runs one loop of so many turns; gives the time of each turn in milliseconds. */
async function timeTurns(
  turns: number,
  effects: Effects,
  format: string,
  more = new Dict(),
): Promise<number[]> {
  const runtime = new Runtime({
    effects,
    host: createNodeHost(),
    console: { write: () => {}, writeError: () => {} },
    builtins: builtinTable(),
  });
  const task = new Task(runtime, undefined, "task_root", runtime.effects.root);
  const { mock } = modelsOf(task);
  for (let n = 0; n < turns; n++) {
    pushMock(mock, {
      tool_calls: [{ name: "step", arguments: { n } }],
      input_tokens: 100,
      output_tokens: 20,
    });
  }
  const handler = new Handler();
  const step = Dict.of({
    name: "step",
    description: "One step.",
    parameters: Dict.of({ n: Dict.of({ type: "int" }) }),
    handler,
  });
  const options = Dict.of({
    provider: "mock",
    tools: new List([step]),
    tool_format: format,
    loop_until_done: true,
    max_iterations: turns,
  }).merge(more);
  const { runAgentLoop } = await loadAgentLoop();
  const result = await runAgentLoop(task, { prompt: "go", system: null, options, caller: "agent_loop" });
  if (handler.at.length !== turns)
    throw new Error(`${handler.at.length} of ${turns} turns: ${String(result.get("status"))}`);
  return handler.at.slice(1).map((at, n) => at - (handler.at[n] as number));
}

const live = (): LiveEffects => new LiveEffects({ atRest: nodeAtRest(), seed: "bench" });

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

const following = (journal: MemoryJournal): ReplayEffects =>
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
    const ran = await timeTurns(1021, recording(journal), "native");
    const followed = await timeTurns(1021, following(journal), "native");
    ratios.push(median(followed) / median(ran));
  }
  return median(ratios);
}

const around = (times: readonly number[], turn: number): number => median(times.slice(turn - 20, turn + 20));

export async function run(): Promise<Row[]> {
  await timeTurns(400, live(), "native");
  const native: number[][] = [];
  for (let n = 0; n < 5; n++) native.push(await timeTurns(1021, live(), "native"));
  const text = await timeTurns(1021, live(), "text");
  const recorded = await timeTurns(1021, recording(new MemoryJournal()), "native");
  await timeTurns(1000, live(), "native", everySubsystem);
  const projected = await timeTurns(5021, live(), "native", everySubsystem);
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
