/** Failures on samples that the oracle does not pass either are the task's (docs/evals.md). */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, it } from "vitest";
import { harnHere } from "../../../support/harn-here.ts";
import { tempFolders } from "../../../support/temp-folder.ts";

const fresh = tempFolders("eval-blame-task");
let cwd: string;
beforeEach(() => {
  cwd = fresh();
});

const write = (text: string): void => writeFileSync(join(cwd, "t.harn"), `import "std/eval"\n${text}`);
const evaluate = (...args: string[]) => harnHere(["eval", ...args], { cwd });

const orders = (after: string): string => `
tool close_order(id: string) -> dict {
  description "Closes an order."
  if world_get("orders.\${id}") == nil { return {error: "no such order"} }
  world_set("orders.\${id}.status", "closed")
  return {ok: true}
}
let solution = [{tool: "close_order", arguments: {id: "A1"}}]
eval_pack orders {
  dataset: [
    {id: "good", after: "closed", solution: solution},
    {id: "broken", after: "${after}", solution: solution},
    {id: "unknown", after: "closed"},
  ]
  world: {orders: {A1: {status: "open"}}}
  tools: [close_order]
  solver: { _sample, _trial -> "I did nothing." }
  scorers: [world_is({ sample -> {orders: {A1: {status: sample.after}}} })]
  epochs: 2
}
`;

it("a solution that does not lead to the goal is the task's fault, once it is right the agent's", async () => {
  write(orders("gone"));
  const first = await evaluate("run", "t.harn", "--set", "s", "--quiet");
  expect(first.stdout).toContain("\nfailed: agent 4, task 2\n");
  expect((await evaluate("show", "s:broken.1")).stdout).toContain("blame task");
  expect((await evaluate("replay", "s")).status).toBe(0);
  write(orders("closed"));
  const second = await evaluate("run", "t.harn", "--set", "s", "--stale", "follow", "--quiet");
  expect(second.stdout).toContain("\nfailed: agent 6\n");
});

it("an oracle is a solver that is known to succeed; one that throws does not, and what it asks is the set's cost", async () => {
  write(`
llm_mock({match: "*", text: "Paris", input_tokens: 1000, output_tokens: 1000, model: "gpt-4o"})
eval_task({
  name: "towns",
  dataset: [{id: "a", target: "Paris"}, {id: "b", target: "Rome"}, {id: "c", target: "Oslo"}],
  solver: { _sample, _trial -> "no idea" },
  oracle: { sample, _trial ->
    if sample.id == "c" { throw "nobody knows" }
    sample.id == "a" ? sample.target : "London"
  },
  scorers: [includes(), judge("Is it polite?")],
  roles: {judge: {provider: "mock"}},
  success: ["includes"],
})
`);
  const { stdout } = await evaluate("run", "t.harn", "--set", "s", "--quiet");
  expect(stdout).toContain("failed: ");
  const blame = async (sample: string) =>
    /blame (\w+)/.exec((await evaluate("show", `s:${sample}.1`)).stdout)?.[1];
  expect([await blame("a"), await blame("b"), await blame("c")]).toEqual(["agent", "task", "task"]);
});
