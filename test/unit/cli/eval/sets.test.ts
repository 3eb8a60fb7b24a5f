/** Sets against a server that counts: growth, follow, errors, money (issue 15). */
// long: tears sets at every step
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import {
  type ChatAnswer,
  type ChatRequest,
  type EvalServer,
  evalServer,
} from "../../../support/eval-server.ts";
import { type SetResult, setOf } from "../../../support/eval-sets.ts";
import { harn } from "../../../support/run-cli.ts";
import { tempFolders } from "../../../support/temp-folder.ts";

const fresh = tempFolders("eval-sets");
let folder: string;
let server: EvalServer;
let answer: (request: ChatRequest, nth: number) => ChatAnswer;

beforeAll(async () => {
  server = await evalServer((request, nth) => answer(request, nth));
});
afterAll(() => server.close());
beforeEach(() => {
  folder = fresh();
  server.seen.clear();
  before = server.count();
  answer = echo;
});

let before: number;
/** Requests of this test so far. */
const asked = (): number => server.count() - before;

const textOf = ({ messages }: ChatRequest): string => {
  const last = messages.at(-1)?.content;
  return typeof last === "string" ? last : JSON.stringify(last);
};
const echo = (request: ChatRequest): ChatAnswer => ({ text: `You said ${textOf(request)}` });

const run = (what: "run" | "resume", request: object): Promise<SetResult> =>
  setOf(
    folder,
    what,
    what === "run"
      ? { file: "set.harn", set: "s", flags: { seed: "1" }, ...request }
      : { set: "s", ...request },
    {
      OPENROUTER_API_KEY: "k-123456789",
      OPENROUTER_BASE_URL: `${server.url}/v1`,
    },
  );

const script = (text: string): void => writeFileSync(join(folder, "set.harn"), `import "std/eval"\n${text}`);
const rows = (list: readonly object[]): void =>
  writeFileSync(join(folder, "rows.jsonl"), list.map((row) => `${JSON.stringify(row)}\n`).join(""));
const numbered = (count: number): { id: string; input: string }[] =>
  Array.from({ length: count }, (_, at) => ({ id: `r${at}`, input: `row ${at}` }));

const call = `{provider: "openrouter", model: "gpt-4o-mini"}`;
const plain = (more = ""): string => `
eval_task({
  name: "t",
  version: "1",
  dataset: "rows.jsonl",
  solver: { sample, trial -> llm_call("\${sample.input} \${trial.epoch} \${trial.variant}", "", ${call}).text },
  scorers: [{name: "said", score: { outcome, sample -> contains(outcome.text, sample.input) }, threshold: 1}],
  ${more}
})
`;

const states = (result: SetResult): Record<string, number> => {
  const counts: Record<string, number> = {};
  for (const { state } of result.trials) counts[state] = (counts[state] ?? 0) + 1;
  return counts;
};

describe("a set that grows", () => {
  it("keeps what is done and runs what is missing", async () => {
    rows(numbered(10));
    script(plain(`variants: [{name: "default"}],`));
    expect(await run("run", {})).toMatchObject({ state: "done", exitCode: 0 });
    expect(asked()).toBe(10);
    rows(numbered(12));
    script(plain(`epochs: 3, variants: [{name: "default"}, {name: "b", style: "short"}],`));
    const grown = await run("run", {});
    expect(grown).toMatchObject({ state: "done", exitCode: 0 });
    expect(states(grown)).toEqual({ done: 72 });
    expect(asked()).toBe(72);
    // A changed row makes its trials stale, a row that is gone is retired.
    rows(
      numbered(12)
        .map((row) => (row.id === "r3" ? { ...row, input: "other" } : row))
        .slice(0, 11),
    );
    const refused = await run("run", {}).catch((error: Error) => error.message);
    expect(refused).toContain("6 trials are stale");
    const redone = await run("run", { stale: "redo" });
    expect(redone).toMatchObject({ state: "done" });
    expect(asked()).toBe(78);
    // The row that is gone leaves the metrics, the changed one counts once.
    const shown = harn(["eval", "show", "s", "--json"], { cwd: folder }).stdout;
    const { tasks } = JSON.parse(shown) as {
      tasks: { t: { samples: number; trials: number; metrics: { success: { n: number } } } };
    };
    expect(tasks.t).toMatchObject({ samples: 11, trials: 66, metrics: { success: { n: 11 } } });
  });
});

describe("a set under a changed program", () => {
  const withTool = (tool: string, scorer: string): string => `
tool look(id: string) -> string {
  description "Looks it up."
  ${tool}
}
eval_task({
  name: "t",
  dataset: "rows.jsonl",
  solver: { sample, _trial -> agent_loop(sample.input, "", {provider: "openrouter", model: "gpt-4o-mini", tools: [look], tool_format: "native", max_iterations: 3}) },
  scorers: [{name: "said", score: { outcome, sample -> ${scorer} }, threshold: 1}],
})
`;
  const agent = (request: ChatRequest): ChatAnswer =>
    request.messages.at(-1)?.role === "tool"
      ? { text: `Done, ${textOf(request).split("\n")[1]}.` }
      : { tool: { name: "look", arguments: { id: textOf(request).slice(-1) } } };

  const look = (...more: string[]): string => {
    const { status, stdout, stderr } = harn(["eval", "check", "set.harn", "--set", "s", ...more], {
      cwd: folder,
      env: { OPENROUTER_API_KEY: "k-123456789", OPENROUTER_BASE_URL: `${server.url}/v1` },
    });
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    return stdout;
  };

  it("an edited scorer asks no model; a tool that answers otherwise asks from there on", async () => {
    answer = agent;
    rows(numbered(30).map((row, at) => ({ ...row, input: `row ${at % 6}`, id: `r${at}` })));
    script(withTool(`"found \${id}"`, `contains(outcome.text, "found")`));
    const first = await run("run", {});
    expect(first).toMatchObject({ state: "done" });
    const once = asked();
    script(withTool(`"found \${id}"`, `contains(outcome.text, "nothing")`));
    expect(look()).toBe("t: 0 of 30 trials unchanged; 30 scored otherwise without a call; bound $0.00\n");
    const scored = await run("run", { stale: "follow" });
    expect(scored).toMatchObject({ state: "done" });
    expect(asked()).toBe(once);
    expect(scored.receipt).not.toBe(first.receipt);
    script(withTool(`if id == "3" { "gone" } else { "found \${id}" }`, `contains(outcome.text, "nothing")`));
    // What it would cost is seen before it is paid for.
    expect(look()).toMatch(
      /^t: 25 of 30 trials unchanged; 5 differ first at a model call \(step \d+\); no bound: set limits.cost_usd or --cost\n$/u,
    );
    expect(look("--limit", "4")).toContain("t: 3 of 4 trials unchanged; 1 differs first at a model call");
    const [report] = JSON.parse(look("--json")) as [{ diverged: { from: number; to: number }[] }];
    expect(report).toMatchObject({ task: "t", trials: 30, unchanged: 25, missing: 0, bound_usd: null });
    expect(report.diverged).toMatchObject([{ kind: "llm.call", judging: false, trials: 5 }]);
    expect(report.diverged[0]?.from).toBe(report.diverged[0]?.to);
    expect(asked()).toBe(once);
    const replayed = await run("run", { stale: "follow" });
    expect(replayed).toMatchObject({ state: "done" });
    // Five of thirty rows: their last call only.
    expect(asked()).toBe(once + 5);
  });
});

describe("errors", () => {
  it("requests that fail once are asked again, and all trials are done", async () => {
    rows(numbered(20));
    script(plain());
    answer = (request, nth) => (nth === 1 && /[05]/.test(textOf(request)) ? { status: 500 } : echo(request));
    const result = await run("run", {});
    expect(states(result)).toEqual({ done: 20 });
    expect([...server.seen.values()].every((times) => times <= 2)).toBe(true);
  });

  it("a provider that stays away leaves trials errored, which resume goes on with", async () => {
    rows(numbered(4));
    script(plain(`retries: {max: 0},`));
    answer = (request) => (textOf(request).includes("row 2") ? { status: 500 } : echo(request));
    const broken = await run("run", {});
    expect(broken).toMatchObject({ state: "incomplete", exitCode: 5 });
    expect(states(broken)).toEqual({ done: 3, errored: 1 });
    expect(broken.trials.find(({ state }) => state === "errored")).toMatchObject({ category: "provider" });
    answer = echo;
    expect(await run("resume", {})).toMatchObject({ state: "done", exitCode: 0 });
  });

  it("a scorer that throws leaves its trials unscored, and a solver that always throws stops the set", async () => {
    rows(numbered(12));
    script(
      plain().replace(
        "contains(outcome.text, sample.input)",
        `if sample.id == "r1" || sample.id == "r7" { throw "no idea" } else { true }`,
      ),
    );
    const result = await run("run", {});
    expect(result).toMatchObject({ state: "done", exitCode: 0 });
    const shown = (...args: string[]) => harn(["eval", "show", ...args], { cwd: folder }).stdout;
    expect(JSON.parse(shown("s", "--json")).tasks.t).toMatchObject({
      done: 12,
      unscored: 2,
      metrics: { success: { value: 1, n: 10 } },
    });
    expect(shown("s")).toContain("2 unscored");
    expect(shown("s:r7.1")).toMatch(/said.*no idea/u);
    folder = fresh();
    rows(numbered(30));
    script(plain().replace(/llm_call\(.*\.text/, `throw "never"`));
    const stopped = await run("run", {});
    expect(stopped).toMatchObject({ state: "failed", exitCode: 2 });
    expect(stopped.why).toMatch(/^the first 10 trials all ended with: .*never.* \(HARN-EVL-020\)$/);
  });
});

describe("money", () => {
  // 1,000 tokens in and 10,000 out at $0.15 and $0.60 a million.
  const dear = (request: ChatRequest): ChatAnswer => ({
    ...echo(request),
    usage: { input: 100, output: 1000 },
  });
  const spentOf = (result: SetResult): number =>
    result.trials.reduce((sum, { cost, doubtful }) => sum + cost + doubtful, 0);

  it("is never passed; a set that is paused goes on with more, to the receipt of one without a limit", async () => {
    answer = dear;
    rows(numbered(40));
    const limited = plain().replace(call, `{provider: "openrouter", model: "gpt-4o-mini", max_tokens: 1500}`);
    script(limited);
    const free = await run("run", {});
    expect(free).toMatchObject({ state: "done" });
    const price = spentOf(free) / 40;
    folder = fresh();
    rows(numbered(40));
    script(limited);
    const paused = await run("run", { options: { costUsd: price * 10.5 } });
    expect(paused).toMatchObject({ state: "paused", why: "budget", exitCode: 5 });
    expect(spentOf(paused)).toBeLessThanOrEqual(price * 10.5);
    const done = await run("resume", { options: { costUsd: price * 100 } });
    expect(done).toMatchObject({ state: "done", exitCode: 0 });
    expect(done.receipt).toBe(free.receipt);
  });

  it("nor are its tokens", async () => {
    answer = dear;
    rows(numbered(20));
    script(plain().replace(call, `{provider: "openrouter", model: "gpt-4o-mini", max_tokens: 1500}`));
    const used = ({ trials }: SetResult): number => trials.reduce((sum, trial) => sum + trial.tokens, 0);
    const paused = await run("run", { options: { tokens: 11_000 } });
    expect(paused).toMatchObject({ state: "paused", why: "budget of tokens", exitCode: 5 });
    expect(used(paused)).toBeLessThanOrEqual(11_000);
    expect(used(paused)).toBeGreaterThan(5_000);
    expect(await run("resume", { options: { tokens: 100_000 } })).toMatchObject({
      state: "done",
      exitCode: 0,
    });
  });
});
