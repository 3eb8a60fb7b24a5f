/**
 * Budgets: whatever tree of agents is started inside an agent, with whatever limits, side by side or one after the other,
 * no loop and nobody who works for it ever spends more money than it was lent, tokens end within the turn that meets the
 * limit, and what the root says it spent is what was spent.
 */
import fc from "fast-check";
import { expect, test } from "vitest";
import { runScript } from "../support/run-script.ts";

interface Node {
  readonly turns: number;
  readonly usd: number | null;
  readonly tokens: number | null;
  readonly parallel: boolean;
  readonly children: readonly Node[];
}

const nodes: (levels: number) => fc.Arbitrary<Node> = fc.memo((levels) =>
  fc.record({
    turns: fc.integer({ min: 1, max: 2 }),
    usd: fc.option(fc.double({ min: 0, max: 0.0004, noNaN: true }), { nil: null }),
    tokens: fc.option(fc.integer({ min: 0, max: 400 }), { nil: null }),
    parallel: fc.boolean(),
    children: levels === 1 ? fc.constant<Node[]>([]) : fc.array(nodes(levels - 1), { maxLength: 2 }),
  }),
);
const node = nodes(3);

/** Tokens of one mocked call: never more than its request has bytes, nor than `max_tokens` allows. */
const perCall = { input: 20, output: 40 };

const program = (root: Node): string => `
let rows = shared_cell({scope: "t", key: "rows", initial: []})
fn options(node, here) {
  var given = {provider: "openai", model: "gpt-4o-mini", max_tokens: 40, max_iterations: node.turns, tool_format: "native", tools: here, session_id: uuid()}
  if node.usd != nil { given = given.merge({iteration_budget: {mode: "fixed", initial: node.turns, max: node.turns, total_cost_usd: node.usd}}) }
  if node.tokens != nil { given = given.merge({limits: {tokens: node.tokens}}) }
  return given
}
fn below(node) {
  return tool_define(tool_registry(), "down", "Goes down.", {handler: { _ -> start(node) }})
}
fn one(child) {
  let r = sub_agent_run("x", options(child, below(child)))
  return {usd: child.usd, tokens: child.tokens, used: r.tokens_used}
}
fn start(node) {
  var found = []
  if node.parallel {
    found = parallel each node.children { child -> one(child) }
  } else {
    found = node.children.map({ child -> one(child) })
  }
  for row in found { shared_set(rows, shared_get(rows) + [row]) }
  return "down"
}
llm_mock({match: "*", tool_calls: [{name: "down"}], input_tokens: ${perCall.input}, output_tokens: ${perCall.output}, model: "gpt-4o-mini"})
let root = json_parse(${JSON.stringify(JSON.stringify(root))})
let r = agent_loop("x", nil, options(root, below(root)))
println(json_stringify({cost: r.cost_usd, used: r.tokens_used, status: r.status, calls: llm_mock_calls().count(), rows: shared_get(rows)}))
`;

interface Report {
  readonly cost: number;
  readonly used: number;
  readonly status: string;
  readonly calls: number;
  readonly rows: readonly {
    readonly usd: number | null;
    readonly tokens: number | null;
    readonly used: number;
  }[];
}

test("no loop spends more than it was lent", async () => {
  await fc.assert(
    fc.asyncProperty(node, async (root) => {
      const { stdout, error } = await runScript(program(root));
      expect(error).toBe("");
      const said = JSON.parse(stdout) as Report;
      const tokens = perCall.input + perCall.output;
      const price = (perCall.input * 0.15 + perCall.output * 0.6) / 1_000_000;
      // Everything that was called is in the root's figures, whoever called it.
      expect(said.used).toBe(said.calls * tokens);
      expect(said.cost).toBeCloseTo(said.calls * price, 12);
      if (root.usd !== null) expect(said.cost).toBeLessThanOrEqual(root.usd + 1e-12);
      // Side by side, every loop in flight may finish its turn.
      const maxCount = 1 + 2 * depth(root) ** 2;
      if (root.tokens !== null) expect(said.used).toBeLessThan(root.tokens + maxCount * tokens);
      for (const row of said.rows) {
        if (row.tokens !== null) expect(row.used).toBeLessThan(row.tokens + maxCount * tokens);
        if (row.usd !== null) expect((row.used / tokens) * price).toBeLessThanOrEqual(row.usd + 1e-12);
      }
    }),
    { numRuns: 40 },
  );
});

const depth = (at: Node): number => 1 + Math.max(0, ...at.children.map(depth));
