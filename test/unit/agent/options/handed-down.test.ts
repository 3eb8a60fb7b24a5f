/**
 * What becomes of each option of an agent for those that work for it (`Field.below`): every row says it, and what it says is
 * true. That a row holds is observed by a golden, against each way to work for an agent; delegates are asked about here.
 */
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { loopFields } from "../../../../src/agent/index.ts";
import type { Below, Field } from "../../../../src/table/index.ts";
import { agentRun, type Plain, tool } from "../../../support/agent-run.ts";

interface Told {
  readonly path: string;
  readonly row: Field;
  readonly below: Below | undefined;
}

/** Rows of dicts too, where they say something else than the option that they stand in. */
const told: readonly Told[] = loopFields.rows.flatMap((row) => [
  { path: row.name, row, below: row.below },
  ...(row.name === "control" || row.name === "llm_options" ? [] : (row.nested?.rows ?? []))
    .filter(({ below }) => below !== undefined && below !== row.below)
    .map((inner) => ({ path: `${row.name}.${inner.name}`, row: inner, below: inner.below })),
]);

/** Where it is observed that a row holds: a heading of the golden over all ways to work for an agent, else a golden of its own. */
const elsewhere: Readonly<Record<string, string>> = {
  "iteration_budget.wall_clock_ms": "agent_options/wall_clock_in_flight",
  "iteration_budget.total_cost_usd": "subagents/shared_budget",
  "limits.tokens": "subagents/shared_budget",
  "budget.total_budget_usd": "subagents/shared_budget",
};

const golden = (name: string): string =>
  readFileSync(join(resolve(import.meta.dirname, "../../../.."), "test/golden", `${name}.harn`), "utf8");

describe("every option of an agent", () => {
  it("says what becomes of it for who works for the agent", () => {
    expect(told.filter(({ below }) => below === undefined).map(({ path }) => path)).toEqual([]);
  });

  it("that ends with the agent says why, in a sentence", () => {
    const reasons = told.flatMap(({ below }) => (typeof below === "object" ? [below.ends] : []));
    expect(reasons.filter((reason) => !/^[a-z].{15,}[^.]$/.test(reason))).toEqual([]);
  });

  it("that bounds tools, paths or commands holds", () => {
    const bounding = ["policy", "command_policy", "permissions", "approval_policy", "modes", "tool_caller"];
    for (const name of bounding) expect(loopFields.get(name)?.below, name).toBe("holds");
  });

  it("that holds is observed to", () => {
    const all = golden("subagents/handed_down");
    const unseen = told
      .filter(({ below }) => below === "holds")
      .map(({ path }) => path)
      .filter((path) => path !== "hooks" && !new RegExp(`over\\(\\s*"${path}",`).test(all))
      .filter((path) => {
        const file = elsewhere[path];
        return file === undefined || !golden(file).includes(path.slice(path.indexOf(".") + 1));
      });
    expect(unseen).toEqual([]);
  });

  it("of delegates is given to them, and no other", async () => {
    const others = { nudge: "On.", max_nudges: 2, max_concurrent_tools: 3, done_sentinel: "END", policy: {} };
    const options: Record<string, Plain> = { ...others, provider: "mock", tool_format: "native" };
    for (const { path, row, below } of told)
      if (below === "delegates" && options[path] === undefined) options[path] = madeUp(row);
    const run = agentRun();
    let seen: Plain;
    const show = tool("show", () => {
      seen = run.builtin("agent_inherited_options");
      return "shown";
    });
    run.mock({ tool_calls: [{ name: "show", arguments: {} }] }, "end");
    await run.loop("go", { ...options, tools: [show] });
    const wanted = Object.keys(options).filter((name) => options[name] !== undefined && !(name in others));
    expect(wanted.length).toBeGreaterThan(20);
    expect(Object.keys(seen).toSorted()).toEqual(wanted.toSorted());
  });
});

/** A value of its type; of those that choose another model, or are dicts with rules of their own, none. */
function madeUp(row: Field): Plain {
  if (row.sets?.includes("route") === true || row.values !== undefined) return undefined;
  switch (row.type.split(" | ")[0]) {
    case "int":
      return Math.max(row.range?.[0] ?? 1, 1);
    case "float":
      return 0.5;
    case "bool":
      return false;
    default:
      return undefined;
  }
}
