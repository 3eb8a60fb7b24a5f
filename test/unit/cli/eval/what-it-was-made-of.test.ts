/** What a set was made of, in its summary, its page and its exports: models that were asked, system texts, rows, program, groups. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type EvalServer, evalServer } from "../../../support/eval-server.ts";
import { harnHere } from "../../../support/harn-here.ts";
import { startHarn } from "../../../support/start-cli.ts";
import { tempFolder } from "../../../support/temp-folder.ts";

const cwd = tempFolder("eval-made-of");
let server: EvalServer;

const script = `import "std/eval"
let prompts = {terse: "Answer in one word.", kind: "Answer kindly."}
eval_pack capitals {
  description: "Capitals of the world"
  tags: ["geo"]
  dataset: "rows.jsonl"
  group_by: ["continent"]
  solver: { sample, trial ->
    agent_loop(sample.input, prompts[trial.variant.prompt], {max_iterations: 2, tool_format: "native"})
  }
  scorers: [includes()]
  variants: {prompt: ["terse", "kind"], model: ["tiny", "huge"]}
}
`;

const rows = [
  { id: "f", input: "capital of France", target: "Paris", continent: "Europe" },
  { id: "j", input: "capital of Japan", target: "Tokyo", continent: "Asia" },
];

const run = (...args: string[]) => harnHere(["eval", ...args], { cwd });

beforeAll(async () => {
  server = await evalServer(({ messages }) => ({
    text: JSON.stringify(messages).includes("France") ? "Paris" : "no idea",
    usage: { input: 10, output: 3 },
  }));
  writeFileSync(join(cwd, "t.eval.harn"), script);
  writeFileSync(join(cwd, "rows.jsonl"), rows.map((row) => `${JSON.stringify(row)}\n`).join(""));
  const done = startHarn(["eval", "run", "t.eval.harn", "--set", "a", "--quiet", "--provider", "openai"], {
    cwd,
    env: { OPENAI_API_KEY: "k", OPENAI_BASE_URL: `${server.url}/v1` },
  });
  expect((await done.ended).status).toBe(0);
}, 120_000);
afterAll(() => server.close());

describe("what a set was made of", () => {
  it("is in the summary, with groups", async () => {
    const { stdout } = await run("show", "a");
    expect(stdout).toMatch(
      /\nCapitals of the world\n\d{4}-\d\d-\d\d \d\d:\d\d UTC · program t\.eval\.harn · dataset rows\.jsonl · models openai\/tiny, openai\/huge · tags geo\n/u,
    );
    expect(stdout).toMatch(/\n {2}by continent .*\n {2}Europe +1\.000 .*\n {2}Asia +0\.000 /u);
    expect(JSON.parse((await run("show", "a", "--json")).stdout)).toMatchObject({
      program: ["t.eval.harn"],
      tasks: { capitals: { description: "Capitals of the world", tags: ["geo"], dataset: "rows.jsonl" } },
    });
  });

  it("the conversation of a trial has the system text and the tokens", async () => {
    const { stdout } = await run("show", "a:model=tiny,prompt=kind/j.1");
    expect(stdout).toContain("10 tokens in, 3 out");
    expect(stdout).toMatch(/── system\nAnswer kindly\./u);
    expect((await run("report", "a", "--html", "page.html")).status).toBe(0);
    const html = readFileSync(join(cwd, "page.html"), "utf8");
    const packed = JSON.parse(/id="conversations">(.*?)<\/script>/u.exec(html)?.[1] ?? "[]") as string[];
    const [first] = packed.map((text) => JSON.parse(gunzipSync(Buffer.from(text, "base64")).toString()));
    expect(first[0][0]).toBe("system");
    expect(first[0][2]).toContain("Answer ");
  });

  it("logs of Inspect AI name the model that was asked, and have standard errors", async () => {
    expect((await run("export", "a", "out.json", "--as", "inspect")).status).toBe(0);
    const log = JSON.parse(readFileSync(join(cwd, "out.model=huge,prompt=terse.json"), "utf8"));
    expect(log.eval).toMatchObject({
      model: "openai/huge",
      task_file: "t.eval.harn",
      dataset: { location: "rows.jsonl" },
      scorers: [{ name: "includes", metrics: [{ name: "mean" }, { name: "stderr" }] }],
    });
    expect(log.results.scores[0].metrics).toMatchObject({
      mean: { value: 0.5 },
      stderr: { name: "stderr", value: 0.5 },
    });
    expect(log.samples[0].output.model).toBe("openai/huge");
  });

  it("`report A B` compares", async () => {
    const { stdout, status } = await run("report", "a", "a");
    expect(status).toBe(0);
    expect(stdout).toMatch(
      /\ncapitals {2}success\n {2}A a\S* 0\.500 {3}B a\S* 0\.500\n {2}difference \+0\.000/u,
    );
    const lines = (await run("report", "a", "a", "--json")).stdout.trim().split("\n");
    expect(lines).toHaveLength(3);
    expect(JSON.parse(lines[2] ?? "")).toMatchObject([
      { task: "capitals", metric: "success", n: 2 },
      {},
      {},
      {},
    ]);
  });
});
