/** `harn eval noise`: where the noise of a set comes from, by crossed re-runs beside it (docs/evals.md). */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { evalServer } from "../../../support/eval-server.ts";
import { harnHere } from "../../../support/harn-here.ts";
import { tempFolders } from "../../../support/temp-folder.ts";

const fresh = tempFolders("eval-noise");
let cwd: string;
beforeEach(() => {
  cwd = fresh();
});

interface Noise {
  readonly state: string;
  readonly noise: readonly {
    readonly samples: number;
    readonly design: { readonly users: number; readonly judges: number };
    readonly ms: Readonly<Record<string, number>>;
    readonly parts: readonly { readonly source: string; readonly name: string; readonly variance: number }[];
  }[];
  readonly noisy: readonly { readonly path: string; readonly recorded: string; readonly now: string }[];
}

const variances = ({ noise }: Noise): Record<string, number> =>
  Object.fromEntries((noise[0]?.parts ?? []).map(({ source, variance }) => [source, variance]));

/** Scores of known parts: uniform draws of these variances under each role. */
const made = (samples: number): string => `import "std/eval"
fn spread(variance) { return (random() - 0.5) * sqrt(12.0 * variance) }
eval_task({
  name: "made",
  dataset: range(1, ${samples + 1}).map({ n -> {id: "s\${n}"} }).to_list(),
  solver: { _sample, _trial ->
    {value: as_role("agent", { -> spread(0.04) }) + as_role("user", { -> spread(0.02) })}
  },
  scorers: [{name: "made", score: { outcome, _sample -> outcome.data.value + as_role("judge", { -> spread(0.01) }) }}],
  metrics: ["made"],
  epochs: 2,
  seed: 11,
})
`;

describe("synthetic scores", () => {
  it("each part comes out within a quarter of what it was made of", async () => {
    writeFileSync(join(cwd, "n.harn"), made(200));
    const before = (await harnHere(["eval", "run", "n.harn", "--quiet"], { cwd })).stdout;
    const noise = async (...more: string[]) =>
      await harnHere(
        ["eval", "noise", "last", "--users", "2", "--judges", "2", "--samples", "200", ...more],
        { cwd },
      );
    const { stdout, stderr, status } = await noise("--json");
    expect(stderr).toContain("800 trials, 400 of them to run, no bound");
    expect(stderr).not.toMatch(/8[0-9]1\/800/);
    expect(status).toBe(0);
    const found = JSON.parse(stdout) as Noise;
    const parts = variances(found);
    for (const [source, true_] of [
      ["agent", 0.04],
      ["user", 0.02],
      ["judge", 0.01],
    ] as const)
      expect(Math.abs((parts[source] ?? 0) / true_ - 1), source).toBeLessThan(0.25);
    expect(found.noise[0]?.parts.map(({ name }) => name)).toEqual([
      "sample",
      "agent",
      "user",
      "interaction and environment",
      "judge",
    ]);
    // The set itself is as before, and nothing is run a second time.
    expect((await harnHere(["eval", "show", "last"], { cwd })).stdout).toBe(before);
    expect((await harnHere(["eval", "replay", "last"], { cwd })).status).toBe(0);
    expect((await noise("--quiet")).stderr).toBe("");
    expect((await noise()).stderr).toContain("800 trials, 0 of them to run");
    expect(JSON.parse((await noise("--json")).stdout)).toEqual(found);
    // The page says what the command says.
    const [head = "", ...lines] = (await noise("--quiet")).stdout.trimEnd().split("\n");
    await harnHere(["eval", "report", "last", "--html", "page.html"], { cwd });
    const page = readFileSync(join(cwd, "page.html"), "utf8");
    expect(page).toContain(`<h2>Noise of ${head}</h2>`);
    for (const line of lines.slice(1)) {
      const cells = line.trim().split(/ {2,}/);
      const isSource = found.noise[0]?.parts.some(({ name }) => name === cells[0]);
      expect(page).toContain(isSource ? cells.map((cell) => `<td>${cell}</td>`).join("") : line.slice(2));
    }
  });

  it("what a design can't tell apart is named together, and a crossed trial that errors takes its sample out", {
    timeout: 300_000,
  }, async () => {
    writeFileSync(
      join(cwd, "n.harn"),
      made(12)
        .replace("epochs: 2", "epochs: 1")
        .replace(
          "{ _sample, _trial ->",
          '{ sample, trial ->\n    if sample.id == "s3" && trial.epoch == 2 { throw "no" }\n',
        ),
    );
    await harnHere(["eval", "run", "n.harn", "--quiet"], { cwd });
    const { stdout, status } = await harnHere(["eval", "noise", "last", "--quiet"], { cwd });
    expect(stdout).toMatch(
      /^made {2}made {3}11 samples × 2 agents\n {2}left out, since a trial errored or is unscored: s3\n/,
    );
    expect(stdout).toContain("\n  agent and environment ");
    expect(stdout).toContain("\n  twice the epochs ");
    expect(stdout).not.toContain("twice the draws");
    expect(status).toBe(5);
  });
});

describe("with models", () => {
  /** The user's first words come from its own model; every answer of the server is another one. */
  const talk = (prompt: string): string => `import "std/eval"
eval_task({
  name: "talk",
  dataset: range(1, 4).map({ n -> {id: "s\${n}"} }).to_list(),
  solver: { sample, _trial ->
    let first = llm_call(${prompt}, "agent", {provider: "openrouter", model: "gpt-4o-mini"}).text
    let said = as_role("user", { -> llm_call("user \${sample.id} \${first}", "user", {provider: "openrouter", model: "gpt-4o-mini"}).text })
    llm_call("answer \${said}", "agent", {provider: "openrouter", model: "gpt-4o-mini"}).text
  },
  scorers: [judge("Is it odd?", {provider: "openrouter", model: "gpt-4o-mini"})],
  epochs: 2,
  limits: {cost_usd: 0.5},
})
`;

  it("a role answers from what its stream drew, and a timestamp in a prompt is told", {
    timeout: 240_000,
  }, async () => {
    let count = 0;
    const kinds: Record<string, number> = {};
    const server = await evalServer(({ messages }) => {
      const text = JSON.stringify(messages);
      const kind = text.includes("reasoning") ? "judge" : (/begin|user s|answer/.exec(text)?.[0] ?? "?");
      kinds[kind] = (kinds[kind] ?? 0) + 1;
      count++;
      if (kind === "judge")
        return { text: JSON.stringify({ reasoning: "so", verdict: count % 2 === 1 ? "pass" : "fail" }) };
      return { text: `word ${count}` };
    });
    const took = async (args: string[]) => {
      for (const kind of Object.keys(kinds)) delete kinds[kind];
      const ended = await harnHere(["eval", ...args, "--quiet"], {
        cwd,
        env: { OPENROUTER_API_KEY: "k-123456789", OPENROUTER_BASE_URL: `${server.url}/v1` },
      });
      return { ...ended, asked: { ...kinds } };
    };
    try {
      writeFileSync(join(cwd, "t.harn"), talk('"begin ${sample.id}"'));
      expect((await took(["run", "t.harn", "--set", "plain"])).asked).toEqual({
        begin: 6,
        "user s": 6,
        answer: 6,
        judge: 6,
      });
      const noise = await took(["noise", "plain", "--json"]);
      const found = JSON.parse(noise.stdout) as Noise;
      // Of (1,2) and (2,1) the agent's first words are there; the user hears others, so it and the agent are asked. Each of the
      // twelve trials is judged twice, six times on a stream that there is.
      expect(noise.asked).toEqual({ "user s": 6, answer: 6, judge: 18 });
      expect(found).toMatchObject({
        state: "done",
        noisy: [],
        noise: [{ samples: 3, design: { users: 2, judges: 2 } }],
      });
      expect((await took(["noise", "plain"])).asked).toEqual({});
      expect((await took(["noise", "plain", "--judges", "3"])).asked).toEqual({ judge: 12 });

      writeFileSync(join(cwd, "t.harn"), talk('"begin ${sample.id} at ${timestamp()}"'));
      await took(["run", "t.harn", "--set", "clock"]);
      const { stdout } = await took(["noise", "clock", "--judges", "1"]);
      expect(stdout).toMatch(
        /\nthe harness itself is noisy: the first request of 6 trials \(of 6 that could be compared\) differs from its recording, such as talk\/default\/s\d\.1:\n {2}recorded {2}….* at .*\n {2}now {7}….* at .*\n$/,
      );
      const small = await took(["noise", "clock", "--environments", "3", "--cost", "0.01"]);
      expect(small).toMatchObject({ status: 5 });
      expect(small.stdout).toContain(
        "paused: the set has spent its $0.0100 (HARN-EVL-022); the same command goes on with a higher --cost\n",
      );
    } finally {
      await server.close();
    }
  });
});

describe("asked wrongly", () => {
  it.each([
    [["--agents", "1"], "made: one agent, one user, one re-run and one judgement tell nothing of noise"],
    [["--task", "zzz"], "no task of s fits zzz; there are made"],
    [["--metric", "pass^2"], "--metric: noise is about figures of single trials"],
    [["--agents", "0"], "--agents: expected a whole number from 1 to 50, got 0"],
    [["--users", "51"], "--users: expected a whole number from 1 to 50, got 51"],
  ])("%j", async (flags, said) => {
    writeFileSync(join(cwd, "n.harn"), made(2));
    await harnHere(["eval", "run", "n.harn", "--set", "s", "--quiet"], { cwd });
    const { status, stderr } = await harnHere(["eval", "noise", "s", ...flags], { cwd });
    expect(stderr).toContain(said);
    expect(status).toBe(2);
  });

  it("a program that always throws is to be mended: the same command would not go on", async () => {
    writeFileSync(
      join(cwd, "n.harn"),
      made(2).replace(/solver: [\s\S]*?\n {2}\},/, 'solver: { _sample, _trial -> throw "no luck" },'),
    );
    await harnHere(["eval", "run", "n.harn", "--set", "s", "--quiet"], { cwd });
    const { status, stdout } = await harnHere(["eval", "noise", "s", "--quiet"], { cwd });
    expect(stdout).toMatch(
      /\nincomplete: 4 errored; the program of the set threw, and would again: mend it and make a new set with `harn eval run`\n {2}such as default\/s\d\.\d: Thrown: no luck\n$/,
    );
    expect(status).toBe(5);
  });

  it("an imported set has no program", async () => {
    writeFileSync(join(cwd, "rows.jsonl"), '{"sample": "a", "ok": 1}\n');
    await harnHere(["eval", "import", "rows.jsonl", "--set", "s"], { cwd });
    expect(await harnHere(["eval", "noise", "s"], { cwd })).toMatchObject({
      status: 2,
      stderr: "harn: s was imported: there is no program that could run its trials again (HARN-CLI-004)\n",
    });
  });
});
