/** A trial again from a step on, with a change and without (docs/evals.md). */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { CliResult } from "../../../support/command-environment.ts";
import {
  type ChatAnswer,
  type ChatRequest,
  type EvalServer,
  evalServer,
} from "../../../support/eval-server.ts";
import { harnHere } from "../../../support/harn-here.ts";
import { tempFolders } from "../../../support/temp-folder.ts";

const fresh = tempFolders("eval-fork");
let cwd: string;
let server: EvalServer;
let asked: ChatRequest[];

/** Three questions; the second is the one that a weak model gets wrong, and nothing mends it afterwards. */
const script = `import "std/eval"
eval_task({
  name: "t",
  dataset: [{id: "a", input: "go", target: "right"}],
  solver: { sample, _trial ->
    let ask = { what -> llm_call(what, "", {provider: "openrouter", model: "gpt-4o-mini"}).text }
    let first = ask("first \${env("STYLE") ?? "plain"}")
    let second = ask("second after \${first}")
    ask("third after \${second}")
  },
  scorers: [includes()],
})
`;

function answer(request: ChatRequest, nth: number): ChatAnswer {
  asked.push(request);
  const text = String(request.messages.at(-1)?.content);
  if (text.startsWith("first")) return { text: "one" };
  if (text.startsWith("third")) return { text: text.includes("right") ? "right" : "wrong" };
  // Alone a weak model is right now and then, a strong one always.
  return { text: request.model.includes("mini") && nth % 4 !== 0 ? "wrong" : "right" };
}

const harn = (...args: string[]): Promise<CliResult> =>
  harnHere(["eval", ...args], {
    cwd,
    env: { OPENROUTER_API_KEY: "k-123456789", OPENROUTER_BASE_URL: `${server.url}/v1` },
  });

beforeEach(async () => {
  cwd = fresh();
  asked = [];
  server = await evalServer(answer);
  writeFileSync(join(cwd, "t.harn"), script);
  expect((await harn("run", "t.harn", "--set", "s", "--quiet")).stdout).toContain("default     0.000 [");
});
afterEach(() => server.close());

interface Arm {
  readonly succeeded: number;
  readonly n: number;
}
interface Forked {
  readonly step: string;
  readonly same: Arm;
  readonly changed: Arm;
  readonly difference: { readonly value: number; readonly low: number; readonly p: number };
}

/** The calls are the only steps beside the reading of the variable and of the clock. */
async function stepsOfCalls(): Promise<number[]> {
  const { stderr } = await harn("fork", "s:a.1");
  return [...stderr.matchAll(/(\d+) llm\.call/gu)].map(([, step]) => Number(step));
}

describe("a fork", () => {
  it("follows the trial to its step, and goes on live with another model and without", async () => {
    const [, second = 0] = await stepsOfCalls();
    const receipt = (await harn("show", "s")).stdout;
    asked = [];
    const args = ["fork", "s:a.1", "--at", String(second), "--trials", "6", "--model", "gpt-4o", "--quiet"];
    const { stdout, stderr, status } = await harn(...args, "--json");
    expect(stderr).toBe("");
    const found = JSON.parse(stdout) as Forked;
    expect(found).toMatchObject({ step: "llm.call", changed: { succeeded: 6, n: 6 }, same: { n: 6 } });
    expect(found.same.succeeded).toBeLessThan(4);
    expect(found.difference.value).toBeCloseTo(1 - found.same.succeeded / 6);
    expect(found.difference.p).toBeLessThan(0.2);
    expect(status).toBe(0);
    // What came before was not asked again, with either model.
    expect(asked.some(({ messages }) => String(messages.at(-1)?.content).startsWith("first"))).toBe(false);
    expect(new Set(asked.map(({ model }) => model))).toEqual(new Set(["gpt-4o-mini", "gpt-4o"]));
    // The set is as it was, and what is done is not paid for again.
    expect((await harn("show", "s")).stdout).toBe(receipt);
    expect((await harn("replay", "s")).status).toBe(0);
    asked = [];
    expect((await harn(...args)).stdout).toMatch(
      /^s:t\/default\/a\.1 from step \d+ of \d+ on \(llm\.call\)\n {2}as it was {3}\d of 6 .*\n {2}changed {5}6 of 6 {2}1\.000 .*\n {2}difference {2}\+/u,
    );
    expect(asked).toEqual([]);
  });

  it("takes a result for the step, a variable, or another program", async () => {
    const [first = 0, second = 0] = await stepsOfCalls();
    const argument = await harn(
      "fork",
      "s:a.1",
      "--at",
      String(second),
      "--trials",
      "2",
      "--result",
      "right",
      "--json",
      "--quiet",
    );
    expect(JSON.parse(argument.stdout)).toMatchObject({ changed: { succeeded: 2, n: 2 } });
    asked = [];
    await harn("fork", "s:a.1", "--at", "1", "--trials", "1", "--set", "STYLE=odd", "--quiet");
    const texts = asked.map(({ messages }) => String(messages.at(-1)?.content));
    expect(texts).toContain("first odd");
    expect(texts).toContain("first plain");
    writeFileSync(join(cwd, "u.harn"), script.replace('"second after', '"second, right, after'));
    asked = [];
    const other = await harn(
      "fork",
      "s:a.1",
      "--at",
      String(second),
      "--trials",
      "1",
      "--script",
      "u.harn",
      "--json",
      "--quiet",
    );
    expect(JSON.parse(other.stdout)).toMatchObject({ changed: { n: 1 }, same: { n: 1 } });
    expect(asked.map(({ messages }) => String(messages.at(-1)?.content))).toContain(
      "second, right, after one",
    );
    expect(first).toBeLessThan(second);
  });

  it("finds the step behind which success falls", async () => {
    const [first, second] = await stepsOfCalls();
    const { stdout, stderr } = await harn(
      "fork",
      "s:a.1",
      "--at",
      "pivot",
      "--trials",
      "8",
      "--quiet",
      "--json",
    );
    expect(stderr).toBe("");
    const found = JSON.parse(stdout) as { pivot: number; probes: { step: number; arm: Arm }[] };
    expect(found.pivot).toBe(second);
    expect(found.probes.map(({ step }) => step)).toEqual(expect.arrayContaining([first, second]));
  });

  it("says what it can't do", async () => {
    const { stderr, status } = await harn("fork", "s:a.1");
    expect(stderr).toMatch(
      /^harn: --at N is needed, the step that is done differently, or --at pivot; .* has \d+ steps: \d+ /u,
    );
    expect(status).toBe(2);
    expect((await harn("fork", "s:a.1", "--at", "99")).stderr).toContain("there is no step 99");
    expect((await harn("fork", "s:a.1", "--at", "1")).stderr).toContain("name what is different");
    expect((await harn("fork", "s:a.1", "--at", "pivot", "--model", "x")).stderr).toContain(
      "nothing else is changed",
    );
    expect((await harn("fork", "s:zz.1", "--at", "1")).stderr).toContain("has no trial s:zz.1");
  });
});
