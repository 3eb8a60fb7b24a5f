/**
 * A thousand agents at once in one process, twenty turns each with a tool call, against the mock: turns a second in all,
 * as a user has them (the real command line, a script with `parallel each`), recorded in the store and not recorded. And
 * what an agent weighs that waits in a tool.
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { builtinTable } from "../src/builtins/index.ts";
import { LiveEffects } from "../src/effects/index.ts";
import { createNodeHost, nodeAtRest } from "../src/host/index.ts";
import { awaitHandle, Runtime, spawnTask, Task, type TaskHandle } from "../src/interp/index.ts";
import { loadAgentLoop } from "../src/skills/index.ts";
import { Callable, Dict, List, type Value } from "../src/values/index.ts";
import type { Benchmark, Row } from "./rows.ts";

const AGENTS = 1000;
const TURNS = 20;
const launcher = join(dirname(fileURLToPath(import.meta.url)), "../bin/harn.cjs");

/** A turn that nobody scripted calls the first tool (native format), so each loop runs to its limit. */
const program = `
let tools = tool_define(tool_registry(), "step", "One step.", {parameters: {n: "int"}, handler: { args -> "fine" }})
fn agents(count) {
  return parallel each (1 to count).to_list() { i ->
    agent_loop("Task \${i}.", nil, {provider: "mock", tools: tools, tool_format: "native", max_iterations: ${TURNS}}).status
  }
}
agents(50)
let began = monotonic_ms()
let done = agents(${AGENTS})
let ms = monotonic_ms() - began
println(json_stringify({ms: ms, ended: done.filter({ status -> status == "budget_exhausted" }).count()}))
`;

function turnsPerSecond(folder: string, ...flags: string[]): number {
  const file = join(folder, "agents.harn");
  writeFileSync(file, program);
  const env = { ...process.env, HARN_STATE_DIR: join(folder, "state") };
  const printed = execFileSync(launcher, ["run", "--quiet", ...flags, file], { encoding: "utf8", env });
  const { ms, ended } = JSON.parse(printed) as { ms: number; ended: number };
  if (ended !== AGENTS) throw new Error(`${ended} of ${AGENTS} agents came to their limit`);
  return (AGENTS * TURNS * 1000) / ms;
}

/** A tool in which agents wait until they are let go. */
class Waiting extends Callable {
  override readonly name = "step";
  override readonly params: readonly string[] = ["args"];
  waiting = 0;
  let: () => void = () => {};
  private readonly gate = new Promise<void>((resolve) => {
    this.let = resolve;
  });
  override async call(): Promise<Value> {
    this.waiting++;
    await this.gate;
    return "fine";
  }
}
Object.defineProperty(Waiting.prototype, "type", { value: "closure" });

/** Bytes of heap for each agent that waits in its first tool call. */
async function bytesPerAgent(count: number): Promise<number> {
  const runtime = new Runtime({
    effects: new LiveEffects({ atRest: nodeAtRest(), seed: "bench" }),
    host: createNodeHost(),
    console: { write: () => {}, writeError: () => {} },
    builtins: builtinTable(),
  });
  const root = new Task(runtime, undefined, "task_root", runtime.effects.root);
  const handler = new Waiting();
  const step = Dict.of({ name: "step", description: "One step.", parameters: new Dict(), handler });
  const options = Dict.of({
    provider: "mock",
    tools: new List([step]),
    tool_format: "native",
    max_iterations: 1,
  });
  const { runAgentLoop } = await loadAgentLoop();
  const start = (agents: number): TaskHandle[] =>
    Array.from({ length: agents }, () =>
      spawnTask(root, (task) =>
        runAgentLoop(task, { prompt: "go", system: null, options, caller: "agent_loop" }),
      ),
    );
  const settled = async (agents: number): Promise<number> => {
    while (handler.waiting < agents) await new Promise((resolve) => setTimeout(resolve, 5));
    globalThis.gc?.();
    return process.memoryUsage().heapUsed;
  };
  const first = start(50);
  const before = await settled(50);
  const rest = start(count);
  const after = await settled(50 + count);
  handler.let();
  await Promise.all([...first, ...rest].map((handle) => awaitHandle(root, handle)));
  return (after - before) / count;
}

export const run: Benchmark = async () => {
  const folder = mkdtempSync(join(tmpdir(), "harn-bench-agents-"));
  try {
    const rows: Row[] = [
      {
        name: `${AGENTS} agents at once, not recorded`,
        value: turnsPerSecond(folder, "--no-record"),
        unit: "turns/s",
        target: ">= 5,000 turns/s",
      },
      {
        name: `${AGENTS} agents at once, recorded`,
        value: turnsPerSecond(folder),
        unit: "turns/s",
        target: ">= 2,000 turns/s",
      },
      {
        name: "an agent that waits in a tool",
        value: (await bytesPerAgent(1000)) / 1000,
        unit: "kB",
        target: "< 100 kB",
      },
    ];
    return rows;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};
