/** Kept answers of models: an equal request under the same stream is not asked again (docs/evals.md). */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { cleanEnvironment, stateOf } from "../../../support/command-environment.ts";
import { type EvalServer, evalServer } from "../../../support/eval-server.ts";
import { harnHere } from "../../../support/harn-here.ts";
import { startHarn } from "../../../support/start-cli.ts";
import { tempFolders } from "../../../support/temp-folder.ts";

const fresh = tempFolders("eval-cache");
let cwd: string;
let server: EvalServer;
let asked = 0;

beforeAll(async () => {
  server = await evalServer(() => ({ text: `answer ${++asked}` }));
});
afterAll(() => server.close());
beforeEach(() => {
  cwd = fresh();
  asked = 0;
});

const script = (more = ""): string => `import "std/eval"
let options = {provider: "openrouter", model: "gpt-4o-mini", temperature: 1.0}
eval_pack t {
  dataset: [{id: "a", input: "x"}, {id: "b", input: "x"}]
  solver: { sample, _trial ->
    let first = llm_call(sample.input, "", options)
    let second = llm_call(sample.input, "", options)
    return first.text + " " + second.text
  }
  scorers: [includes("answer")]
  epochs: 2
  ${more}
}
`;

async function evaluate(...args: string[]) {
  const { ended } = startHarn(["eval", ...args, ...(args[0] === "replay" ? [] : ["--quiet"])], {
    cwd,
    env: {
      ...cleanEnvironment(stateOf(cwd)),
      OPENROUTER_API_KEY: "k-123456789",
      OPENROUTER_BASE_URL: `${server.url}/v1`,
    },
  });
  const { status, stdout, stderr } = await ended;
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  return /receipt (\S+)/.exec(stdout)?.[1];
}

const text = async (address: string): Promise<string> => {
  const { stdout } = await harnHere(["eval", "show", address, "--json"], { cwd });
  return (JSON.parse(stdout) as { outcome: { text: string } }).outcome.text;
};

it("an equal request is answered once for each stream and occurrence", async () => {
  writeFileSync(join(cwd, "t.harn"), script("cache: true"));
  await evaluate("run", "t.harn", "--set", "one", "--trials", "1");
  // Samples ask the same: of two samples, two epochs and two calls each, the second sample draws what the first drew.
  expect(asked).toBe(4);
  expect(await text("one:a.1")).toBe(await text("one:b.1"));
  expect(await text("one:a.1")).not.toBe(await text("one:a.2"));
  const [first, second] = (await text("one:a.1")).split(" answer ");
  expect(first).not.toBe(`answer ${second}`);
  await evaluate("run", "t.harn", "--set", "two");
  expect(asked).toBe(4);
  expect(await text("two:b.2")).toBe(await text("one:b.2"));
  await evaluate("replay", "two");
});

it("without it every call asks, and --cache with an age asks again what is older", {
  timeout: 300_000,
}, async () => {
  writeFileSync(join(cwd, "t.harn"), script());
  await evaluate("run", "t.harn", "--trials", "1");
  expect(asked).toBe(8);
  await evaluate("run", "t.harn", "--cache", "--trials", "1");
  expect(asked).toBe(12);
  await evaluate("run", "t.harn", "--cache", "7d");
  expect(asked).toBe(12);
  await evaluate("run", "t.harn", "--cache", "1ms", "--trials", "1");
  expect(asked).toBeGreaterThan(12);
});
