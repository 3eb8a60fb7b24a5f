/**
 * A dollar limit holds at every moment: what a vendor has charged, and the most that calls in flight may still cost, never
 * pass it, whatever loops, sub-agents, judges, summaries, reorganizations and single calls run side by side, and however
 * their calls fail. The vendor keeps its own books: it charges broken calls, too, and tells nobody.
 */
import fc from "fast-check";
import { expect, test } from "vitest";
import { builtinTable } from "../../src/builtins/index.ts";
import { Runtime } from "../../src/interp/index.ts";
import { runProgram } from "../../src/lower/index.ts";
import { configureModels } from "../../src/model/index.ts";
import {
  emptyResponse,
  finishedCall,
  type JsonObject,
  type ModelClient,
  type ModelOutcome,
  type ModelRequest,
  makeModelError,
  textOfMessage,
  utf8Length,
} from "../../src/model/llm/index.ts";
import { liveEffects } from "../support/concurrent.ts";
import { createMemoryHost } from "../support/memory-host.ts";
import { compileScript } from "../support/run-script.ts";

/** What the vendor does with a call. */
interface Deed {
  readonly kind: "text" | "tools" | "json" | "cut" | "late" | "overloaded" | "refused";
  /** Parts of the most that input and output may be. */
  readonly input: number;
  readonly output: number;
  /** Turns of the event loop until the answer is there. */
  readonly waits: number;
}

const part = fc.noBias(fc.double({ min: 0, max: 1, noNaN: true }));
const deed: fc.Arbitrary<Deed> = fc.record({
  kind: fc.constantFrom(
    "text",
    "text",
    "tools",
    "tools",
    "json",
    "json",
    "cut",
    "late",
    "overloaded",
    "refused",
  ),
  input: part,
  output: part,
  waits: fc.integer({ min: 0, max: 4 }),
});

const price = { input: 0.15 / 1e6, output: 0.6 / 1e6 };

/** Answers as it is told and keeps the books. */
class Vendor implements ModelClient {
  /** Who was charged: loops, judges, summaries …, by how their requests begin. */
  static readonly asked = new Set<string>();
  charged = 0;
  calls = 0;
  /** The highest that charges and open calls together have ever been. */
  peak = 0;
  private open = 0;
  private readonly deeds: readonly Deed[];

  constructor(deeds: readonly Deed[]) {
    this.deeds = deeds;
  }

  async stream(request: ModelRequest): Promise<ModelOutcome> {
    const does = this.deeds[this.calls++ % this.deeds.length] as Deed;
    Vendor.asked.add(asker(request));
    const texts = [request.system ?? "", ...request.messages.map(textOfMessage)];
    // No token is shorter than a byte.
    const longest = {
      input: texts.reduce((sum, text) => sum + utf8Length(text), 0),
      output: request.max_tokens ?? 0,
    };
    const maxCount = longest.input * price.input + longest.output * price.output;
    this.open += maxCount;
    this.peak = Math.max(this.peak, this.charged + this.open);
    for (let n = 0; n < does.waits; n++) await new Promise((resolve) => setImmediate(resolve));
    const usage = {
      input_tokens: Math.floor(longest.input * does.input),
      output_tokens: Math.floor(longest.output * does.output),
    };
    this.open -= maxCount;
    if (does.kind !== "refused" && does.kind !== "overloaded")
      this.charged += usage.input_tokens * price.input + usage.output_tokens * price.output;
    return answer(request, does.kind, usage);
  }
}

/** Whose call it is. */
function asker({ system, messages, tools }: ModelRequest): string {
  const last = JSON.stringify(messages.at(-1)?.content ?? "");
  if (tools?.some(({ name }) => name === "ask")) return "loop";
  if (last.includes("a question of some length")) return "call";
  if (last.includes('"help"')) return "child";
  return /scratchpad/i.test(last + system) ? "scratchpad" : system ? "judge" : "summary";
}

function answer(
  { provider, model, tools }: ModelRequest,
  kind: Deed["kind"],
  usage: { input_tokens: number; output_tokens: number },
): ModelOutcome {
  const response = emptyResponse(provider, model);
  const failed = (
    category: "transient_network" | "timeout" | "overloaded" | "auth",
    begun: boolean,
  ): ModelOutcome => ({
    ok: false,
    error: makeModelError({ category, message: kind, provider, model }),
    partial: { ...response, cost_usd: 0 },
    begun,
  });
  switch (kind) {
    case "cut":
      return failed("transient_network", true);
    case "late":
      return failed("timeout", false);
    case "overloaded":
      return failed("overloaded", false);
    case "refused":
      return failed("auth", false);
    default: {
      const cost = usage.input_tokens * price.input + usage.output_tokens * price.output;
      const own = (tools ?? []).filter(({ name }) => name === "down" || name === "ask");
      const called = kind === "tools" ? own : [];
      return {
        ok: true,
        response: {
          ...response,
          text:
            kind === "json"
              ? '{"verdict": "continue", "reasoning": "more", "next_step": "go on"}'
              : "So far.",
          tool_calls: called.map(({ name }, index) => finishedCall(`c${index}`, name, "{}")),
          usage: { ...response.usage, ...usage },
          cost_usd: cost,
        },
      };
    }
  }
}

interface Plan {
  readonly limit: number;
  readonly ofRun: boolean;
  readonly loops: number;
  readonly children: number;
  readonly retries: number;
}

const plan: fc.Arbitrary<Plan> = fc.record({
  // Wide enough for judges and summaries, whose answers may be long, or tight around the loops themselves.
  limit: fc
    .oneof(fc.noBias(fc.integer({ min: 0, max: 3500 })), fc.noBias(fc.integer({ min: 9000, max: 15_000 })))
    .map((millionths) => millionths / 1e6),
  ofRun: fc.boolean(),
  loops: fc.integer({ min: 1, max: 3 }),
  children: fc.integer({ min: 0, max: 3 }),
  retries: fc.integer({ min: 0, max: 2 }),
});

const listed = (count: number): string => JSON.stringify([...Array(count).keys()]);

const program = (p: Plan): string => `
let base = {provider: "openai", model: "gpt-4o-mini", max_tokens: 200, llm_retries: ${p.retries}, llm_backoff_ms: 0, tool_format: "native"}
var tools = tool_define(tool_registry(), "down", "Starts others.", {handler: { _ ->
  let ends = parallel each ${listed(p.children)} { i -> sub_agent_run("help", base.merge({max_iterations: 2})).ok }
  to_string(ends)
}})
tools = tool_define(tools, "ask", "Asks.", {handler: { _ -> to_string(llm_call_safe("a question of some length", nil, base).ok) }})
fn work() {
  return agent_loop("work on it, and say what you did", "Be thorough.", base.merge({
    tools: tools, loop_until_done: true, max_iterations: 4, max_concurrent_tools: 3, done_judge: true,
    scratchpad: {reorganize_every: 1}, compaction: {strategy: "summarize_middle", threshold: 60, keep_last: 2},
    ${p.ofRun ? `iteration_budget: {mode: "fixed", initial: 4, max: 4, consecutive_failures: {max: 3}},` : `iteration_budget: {mode: "fixed", initial: 4, max: 4, consecutive_failures: {max: 3}, total_cost_usd: ${p.limit.toFixed(6)}},`}
  }))
}
${p.ofRun ? `llm_budget(${p.limit.toFixed(6)})` : ""}
let ends = parallel each ${listed(p.ofRun ? p.loops : 1)} { i -> work() }
println(json_stringify({cost: ends.map({ e -> e.cost_usd }), run: llm_session_cost().total_cost, status: ends.map({ e -> e.status })}))
`;

async function run(text: string, vendor: Vendor): Promise<JsonObject> {
  const written: string[] = [];
  const runtime = new Runtime({
    effects: liveEffects(),
    host: createMemoryHost(),
    console: { write: (piece) => void written.push(piece), writeError: () => {} },
    builtins: builtinTable(),
  });
  configureModels(runtime, { client: vendor });
  const compiled = compileScript(text);
  const outcome = await runProgram(runtime, compiled.program as NonNullable<typeof compiled.program>);
  if (outcome.internal !== undefined) throw outcome.internal;
  expect(outcome.error?.text ?? "").toBe("");
  return JSON.parse(written.join("")) as JsonObject;
}

test("a dollar limit is never passed, not even by calls in flight", async () => {
  await fc.assert(
    fc.asyncProperty(plan, fc.array(deed, { minLength: 1, maxLength: 12 }), async (p, deeds) => {
      const vendor = new Vendor(deeds);
      const said = (await run(program(p), vendor)) as { cost: number[]; run: number };
      expect(vendor.peak).toBeLessThanOrEqual(p.limit + 1e-12);
      // What the run says it spent is at least what the vendor charged.
      expect(said.run).toBeGreaterThanOrEqual(vendor.charged - 1e-12);
      expect(said.run).toBeLessThanOrEqual(p.limit + 1e-12);
      const loops = said.cost.reduce((sum, usd) => sum + usd, 0);
      expect(loops).toBeCloseTo(said.run, 9);
    }),
    { numRuns: 120 },
  );
  expect([...Vendor.asked].sort()).toEqual(["call", "child", "judge", "loop", "scratchpad", "summary"]);
});

test("children side by side share what their parent has left", async () => {
  const first: Deed = { kind: "tools", input: 1, output: 1, waits: 0 };
  const slow: Deed = { kind: "text", input: 1, output: 1, waits: 3 };
  const peaks: number[] = [];
  for (let millionths = 300; millionths <= 1500; millionths += 50) {
    const limit = millionths / 1e6;
    const vendor = new Vendor([first, slow, slow, slow, slow]);
    await run(program({ limit, ofRun: false, loops: 1, children: 3, retries: 0 }), vendor);
    expect(vendor.peak).toBeLessThanOrEqual(limit + 1e-12);
    peaks.push(vendor.peak);
  }
  expect(new Set(peaks).size).toBeGreaterThan(3);
});
