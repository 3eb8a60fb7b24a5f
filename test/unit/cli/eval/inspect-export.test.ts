/** A set as logs of Inspect AI, and back again (docs/evals.md). */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { membersOfZip } from "../../../../src/eval/local/transfer/zip-file.ts";
import { harnHere } from "../../../support/harn-here.ts";
import { tempFolders } from "../../../support/temp-folder.ts";

const fresh = tempFolders("eval-inspect-export");
let cwd: string;

const script = `import "std/eval"
tool look(id: string) -> dict {
  description "Looks it up."
  world_set("seen", id)
  {id: id}
}
llm_mock({tool_calls: [{name: "look", arguments: {id: "A1"}}], consume_on_match: false, match: "*order A1*"})
llm_mock({text: "It is \\"there\\".", match: "*"})
eval_pack orders {
  dataset: [
    {id: "a/1", input: "order A1", target: "there", topic: "orders"},
    {input: "capital of Japan", target: ["there", "Edo"], weight: 1.0},
    {id: "none", input: "no target"},
    {id: "broken", input: "x", target: "x"},
  ]
  tools: [look]
  solver: { sample, trial ->
    if sample.id == "broken" { throw "it broke" }
    agent_loop(sample.input, "", {provider: "mock", tools: [look], tool_format: "native", max_iterations: 2})
  }
  scorers: [
    includes("there"),
    named("tone", { _o, s -> s.id == "none" ? nil : {value: 0.5, pass: true, why: "so so", parts: {warm: 0.25}} }),
    named("label", { _o, s -> "C" }),
  ]
  success: ["includes", "tone"]
  variants: {style: ["short", "long"]}
  epochs: 2
}
`;

const run = (...args: string[]) => harnHere(["eval", ...args], { cwd });

beforeEach(async () => {
  cwd = fresh();
  writeFileSync(join(cwd, "t.harn"), script);
  expect((await run("run", "t.harn", "--set", "a", "--quiet")).status).toBe(5);
});

interface Log {
  readonly version: number;
  readonly status: string;
  readonly eval: { readonly [field: string]: unknown };
  readonly samples: readonly { readonly [field: string]: unknown }[];
}

describe("a log of Inspect AI", () => {
  it("has the members that it looks for, a file for each variant", async () => {
    expect(await run("export", "a", "out.eval")).toMatchObject({
      stdout: "out.style=short.eval\nout.style=long.eval\n",
      stderr: "",
      status: 0,
    });
    const members = membersOfZip(readFileSync(join(cwd, "out.style=short.eval")));
    const names = members.map(({ name }) => name);
    expect(names).toEqual(
      expect.arrayContaining(["_journal/start.json", "summaries.json", "reductions.json", "header.json"]),
    );
    expect(names).toContain("samples/a/1_epoch_2.json");
    const textOf = (name: string): string =>
      members
        .find((member) => member.name === name)
        ?.read()
        .toString() ?? "";
    // Unscored is the bare word, in samples as in their list.
    expect(textOf("samples/none_epoch_1.json")).toContain('"tone":{"value":NaN,');
    expect(textOf("summaries.json")).toContain('"tone":{"value":NaN,');
    expect(JSON.parse(textOf("_journal/start.json"))).toMatchObject({
      version: 2,
      eval: { task: "orders", model: "none/none", metadata: { harn_set: "a" } },
      plan: { steps: [] },
    });
    const reductions = JSON.parse(textOf("reductions.json")) as { scorer: string; samples: unknown[] }[];
    expect(reductions.map(({ scorer, samples }) => [scorer, samples.length])).toEqual([
      ["includes", 3],
      ["tone", 2],
      ["label", 0],
    ]);
  });

  it("says what was said, called, kept and scored", async () => {
    expect((await run("export", "a", "out.json", "--as", "inspect")).status).toBe(0);
    const log = JSON.parse(
      readFileSync(join(cwd, "out.style=long.json"), "utf8").replaceAll(":NaN", ":null"),
    ) as Log;
    expect(log).toMatchObject({ version: 2, status: "success", eval: { task_args: { style: "long" } } });
    expect(log.samples).toHaveLength(8);
    const [called] = log.samples.filter(({ id, epoch }) => id === "a/1" && epoch === 1);
    expect(called).toMatchObject({
      input: "order A1",
      target: "there",
      metadata: { topic: "orders" },
      store: { seen: "A1" },
      scores: { includes: { value: 0 }, tone: { value: 0.5, explanation: "so so" }, "tone.warm": {} },
      events: [],
    });
    const messages = called?.messages as readonly { readonly [field: string]: unknown }[];
    const [call] = messages.flatMap((one) => (one.tool_calls as { id: string }[] | undefined) ?? []);
    expect(call).toMatchObject({ function: "look", arguments: { id: "A1" }, type: "function" });
    expect(messages).toContainEqual({
      role: "tool",
      content: '{"id":"A1"}',
      tool_call_id: call?.id,
      function: "look",
    });
    expect(log.samples.find(({ id }) => id === "broken")).toMatchObject({
      error: { message: expect.stringContaining("it broke") },
      scores: {},
    });
  });

  it.each(["eval", "json"])(
    "comes back as it went out (.%s): samples, figures, tools and worlds",
    async (ending) => {
      expect((await run("export", "a", `out.${ending}`, "--as", "inspect")).status).toBe(0);
      expect((await run("import", `out.style=short.${ending}`, "--set", "b")).stdout).toBe(
        "b  8 trials of orders\n",
      );
      const compared = (await run("compare", "a", "b", "--json")).stdout;
      const rows = (
        JSON.parse(compared) as { metric: string; a: string; n: number; difference: number }[]
      ).filter(({ metric }) => ["success", "includes", "tone", "tokens"].includes(metric));
      // Paired by digest: the same samples.
      expect(rows.length).toBeGreaterThan(0);
      expect(compared).not.toMatch(/"changed":\[[^\]]/u);
      const shown = async (
        set: string,
      ): Promise<{ outcome: { [field: string]: unknown }; scores: unknown }> =>
        JSON.parse((await run("show", `${set}:style=short/a%2F1.1`, "--json")).stdout);
      const [ours, theirs] = [await shown("a"), await shown("b")];
      expect(theirs.outcome.world).toEqual(ours.outcome.world);
      expect(theirs.outcome.text).toEqual(ours.outcome.text);
      expect(theirs.outcome.tools).toEqual(ours.outcome.tools);
      expect((await run("show", "b")).stdout).toContain("2 errored");
      expect((await run("show", "b:none.1")).stdout).toMatch(/tone\s+unscored/u);
    },
  );

  it("what can't be written is said", async () => {
    expect(await run("export", "a", "out.txt")).toMatchObject({
      status: 2,
      stderr:
        "harn: export writes by the ending of the file: rows of scores (.jsonl, .csv), a log of Inspect AI (.eval; .json with --as inspect), or the whole set with its journals (.harneval) (HARN-CLI-004)\n",
    });
    expect((await run("export", "a", "out.json")).status).toBe(2);
    expect((await run("export", "a", "out.csv", "--as", "inspect")).stderr).toContain(
      "name a file .eval or .json",
    );
    expect((await run("export", "a", "out.eval", "--as", "deepeval")).stderr).toContain(
      "--as: expected one of inspect, got deepeval",
    );
    expect((await run("export", "a", "nowhere/out.eval")).stderr).toContain(
      "cannot write nowhere/out.eval: ",
    );
  });
});
