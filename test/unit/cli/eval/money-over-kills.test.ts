/** What a set may spend holds at any kill, and what unfinished trials have spent is shown (issue 27). */
// long: kills
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, it } from "vitest";
import { evalServer } from "../../../support/eval-server.ts";
import { harn } from "../../../support/run-cli.ts";
import { startHarn } from "../../../support/start-cli.ts";
import { tempFolders } from "../../../support/temp-folder.ts";

const fresh = tempFolders("eval-money");
let cwd: string;
beforeEach(() => {
  cwd = fresh();
});

/** What the catalogue says that a call of gpt-4o-mini with these counts costs, US dollars. */
// The worst case that the request has: what is in doubt costs no less than what was paid.
const usage = { input: 20_000, output: 10_000 };
const priceUsd = (usage.input * 0.15 + usage.output * 0.6) / 1e6;

/** Each trial asks four times, one after the other. */
const script = `import "std/eval"
let route = {provider: "openrouter", model: "gpt-4o-mini", max_tokens: 10000}
eval_task({
  name: "t",
  dataset: range(0, 30).map({ n -> {id: "s\${n}", input: "\${"word ".repeat(4000)} \${n}", target: "yes"} }).to_list(),
  solver: { s, _trial ->
    for turn in range(0, 4) {
      llm_call("\${turn} \${s.input}", nil, route)
    }
    "yes"
  },
  scorers: [includes()],
})
`;

const spent = (set = "k"): number =>
  (JSON.parse(harn(["eval", "status", set, "--json"], { cwd }).stdout) as { cost_usd: number }).cost_usd;

it("what was spent and what is in doubt never exceeds the limit, at any kill", {
  timeout: 600_000,
}, async () => {
  writeFileSync(join(cwd, "t.harn"), script);
  const server = await evalServer(() => ({ text: "yes", usage, delay: 120 }));
  const limit = 0.4;
  const env = { OPENROUTER_API_KEY: "k-123456789", OPENROUTER_BASE_URL: `${server.url}/v1` };
  const start = (...args: string[]) => startHarn(["eval", ...args, "--quiet", "--trials", "4"], { cwd, env });
  try {
    for (let kill = 0; kill < 6; kill++) {
      const before = server.count();
      const running =
        kill === 0 ? start("run", "t.harn", "--set", "k", "--cost", String(limit)) : start("resume", "k");
      // In the middle of a call; one that has no money left ends by itself.
      await Promise.race([server.reached(before + 3 + kill), running.ended]);
      running.child.kill("SIGKILL");
      await running.ended;
      const paid = server.count() * priceUsd;
      expect(spent()).toBeGreaterThanOrEqual(paid - 4 * priceUsd);
      expect(spent()).toBeLessThanOrEqual(limit + 1e-9);
      expect(paid).toBeLessThanOrEqual(limit + 1e-9);
    }
    const last = await start("resume", "k").ended;
    expect(last.status).toBe(5);
    expect(last.stdout).toContain("paused: budget");
    expect(last.stdout).toMatch(/ of 30 trials {3}\$0\.[34]\d /);
    // Every request that was sent is in the figure that is compared with the limit, also of trials that are not done.
    expect(spent()).toBeGreaterThanOrEqual(server.count() * priceUsd - 1e-9);
    expect(spent()).toBeLessThanOrEqual(limit + 1e-9);
    // With more it comes to its end, and to the sum of all that was asked.
    const done = await start("resume", "k", "--cost", "5").ended;
    expect(done.status).toBe(0);
    expect(spent()).toBeGreaterThanOrEqual(server.count() * priceUsd - 1e-9);
  } finally {
    await server.close();
  }
});

it("money of trials that begin anew, and of attempts that errored, stays spent", {
  timeout: 300_000,
}, async () => {
  writeFileSync(
    join(cwd, "t.harn"),
    `import "std/eval"
let route = {provider: "openrouter", model: "gpt-4o-mini", max_tokens: 10000}
eval_task({
  name: "t",
  dataset: [{id: "a", input: "first", target: "yes"}],
  solver: { s, _trial -> llm_call(s.input, nil, route); llm_call("second", nil, route).text },
  scorers: [includes()],
  retries: {max: 1, fresh: true},
})
`,
  );
  let down = 3;
  const server = await evalServer(({ messages }) =>
    JSON.stringify(messages).includes("second") && down-- > 0 ? { status: 500 } : { text: "yes", usage },
  );
  const env = { OPENROUTER_API_KEY: "k-123456789", OPENROUTER_BASE_URL: `${server.url}/v1` };
  try {
    const { status } = await startHarn(["eval", "run", "t.harn", "--set", "k", "--cost", "1"], { cwd, env })
      .ended;
    expect(status).toBe(0);
    expect(spent()).toBeCloseTo(3 * priceUsd, 9);
    await startHarn(["eval", "resume", "k", "--redo", "all"], { cwd, env }).ended;
    expect(spent()).toBeCloseTo(5 * priceUsd, 9);
  } finally {
    await server.close();
  }
});

it("a judge's model without a price is found before the first request", { timeout: 300_000 }, async () => {
  const server = await evalServer(() => ({ text: "yes", usage }));
  const env = { OPENROUTER_API_KEY: "k-123456789", OPENROUTER_BASE_URL: `${server.url}/v1` };
  const task = (judge: string, more = ""): string => `import "std/eval"
eval_task({
  name: "t",
  dataset: range(0, 8).map({ n -> {id: "s\${n}", input: "\${n}", target: "yes"} }).to_list(),
  solver: { s, _trial -> llm_call(s.input, nil, {provider: "openrouter", model: "gpt-4o-mini"}).text },
  scorers: [includes(), ${judge}],
  ${more}
})
`;
  try {
    for (const [judge, more] of [
      [`judge("Is it right?", {provider: "openrouter", model: "unheard-of"})`, ""],
      [`judge("Is it right?")`, `roles: {judge: {provider: "openrouter", model: "unheard-of"}}`],
      [`panel([{model: "gpt-4o"}, {provider: "openrouter", model: "unheard-of"}], "Is it right?")`, ""],
      [
        `named("both", all_of([includes(), judge("Is it right?", {provider: "openrouter", model: "unheard-of"})]))`,
        "",
      ],
    ]) {
      writeFileSync(join(cwd, "t.harn"), task(judge as string, more));
      const { status, stdout } = await startHarn(["eval", "run", "t.harn", "--cost", "1", "--quiet"], {
        cwd,
        env,
      }).ended;
      expect(stdout).toContain(
        "unheard-of of openrouter has no price, so the limit of the set can't be kept",
      );
      expect(status).toBe(2);
    }
    expect(server.count()).toBe(0);
  } finally {
    await server.close();
  }
});

it("a price that a configuration file names holds on a server of one's own, too", {
  timeout: 300_000,
}, async () => {
  const server = await evalServer(() => ({ text: "yes", usage: { input: 1000, output: 1000 } }));
  writeFileSync(
    join(cwd, "harn.toml"),
    `[project]\nname = "p"\n\n[llm.models.mine]\nprovider = "local"\npricing = {input_per_mtok = 10.0, output_per_mtok = 20.0}\n`,
  );
  writeFileSync(
    join(cwd, "t.harn"),
    `import "std/eval"
eval_task({
  name: "t",
  dataset: [{id: "a", input: "x", target: "yes"}, {id: "b", input: "y", target: "yes"}],
  solver: { s, _trial -> llm_call(s.input, nil, {provider: "local", model: s.id == "a" ? "mine" : "other", max_tokens: 2000}).text },
  scorers: [includes()],
})
`,
  );
  const env = { LOCAL_LLM_BASE_URL: `${server.url}/v1` };
  try {
    expect(
      (await startHarn(["eval", "run", "t.harn", "--set", "k", "--cost", "1"], { cwd, env }).ended).status,
    ).toBe(0);
    expect(spent()).toBeCloseTo(0.03, 9);
    const poor = await startHarn(["eval", "run", "t.harn", "--set", "p", "--cost", "0.001"], { cwd, env })
      .ended;
    expect(poor.stdout).toContain("paused: budget");
    expect(spent("p")).toBe(0);
  } finally {
    await server.close();
  }
});
