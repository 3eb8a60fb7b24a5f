/**
 * A loop of so many turns with one tool call each, against the mock: the model's answers are written beforehand, so the time is
 * the runtime's own.
 */
import { builtinTable } from "../src/builtins/index.ts";
import { type Effects, LiveEffects } from "../src/effects/index.ts";
import { createNodeHost, nodeAtRest } from "../src/host/index.ts";
import { Runtime, Task } from "../src/interp/index.ts";
import { modelsOf } from "../src/model/index.ts";
import { pushMock } from "../src/model/llm/index.ts";
import { loadAgentLoop } from "../src/skills/index.ts";
import { Callable, Dict, List, type Value } from "../src/values/index.ts";

class Handler extends Callable {
  override readonly name = "handler";
  override readonly params: readonly string[] = ["args"];
  /** When each call came, in milliseconds. */
  readonly at: number[] = [];
  private readonly answer: (n: number) => string;
  private readonly forget: () => void;
  constructor(answer: (n: number) => string, forget: () => void) {
    super();
    this.answer = answer;
    this.forget = forget;
  }
  override call(): Value {
    this.at.push(performance.now());
    this.forget();
    return this.answer(this.at.length - 1);
  }
}
Object.defineProperty(Handler.prototype, "type", { value: "closure" });

export const liveEffects = (): LiveEffects => new LiveEffects({ atRest: nodeAtRest(), seed: "bench" });

export interface TimedLoop {
  readonly turns: number;
  /** Live ones unless given. */
  readonly effects?: Effects;
  /** The tool that is called with `{n}`; `handler` is ours. */
  readonly tool: Dict;
  /** What call `n`, counted from 0, gives. */
  readonly answer: (n: number) => string;
  /** The counts that a vendor would give with each answer; without, the meter has to see for itself that the context fills up. */
  readonly usage?: { readonly input_tokens: number; readonly output_tokens: number };
  /** Options of the loop. */
  readonly options: Dict;
}

export const vendorCounts = { input_tokens: 100, output_tokens: 20 };

/** The time of each turn in milliseconds. */
export async function timeTurns(loop: TimedLoop): Promise<number[]> {
  const { turns, tool, usage = {} } = loop;
  const runtime = new Runtime({
    effects: loop.effects ?? liveEffects(),
    host: createNodeHost(),
    console: { write: () => {}, writeError: () => {} },
    builtins: builtinTable(),
  });
  const task = new Task(runtime, undefined, "task_root", runtime.effects.root);
  const { mock } = modelsOf(task);
  const name = String(tool.get("name"));
  for (let n = 0; n < turns; n++) pushMock(mock, { tool_calls: [{ name, arguments: { n } }], ...usage });
  // What the mock keeps of every request, for `llm_mock_calls`, grows with the square of the turns and is none of the loop's.
  const handler = new Handler(loop.answer, () => {
    mock.calls.length = 0;
  });
  const options = Dict.of({
    provider: "mock",
    tools: new List([tool.merge(Dict.of({ handler }))]),
    tool_format: "native",
    loop_until_done: true,
    max_iterations: turns,
  }).merge(loop.options);
  const { runAgentLoop } = await loadAgentLoop();
  const result = await runAgentLoop(task, { prompt: "go", system: null, options, caller: "agent_loop" });
  if (handler.at.length !== turns)
    throw new Error(`${handler.at.length} of ${turns} turns: ${String(result.get("status"))}`);
  return handler.at.slice(1).map((at, n) => at - (handler.at[n] as number));
}
