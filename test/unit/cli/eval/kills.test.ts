/** Sets that are killed at any moment go on without paying for a finished call again, and come to the same (issue 15). */
// long: kills

import { existsSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import {
  type ChatAnswer,
  type ChatRequest,
  type EvalServer,
  evalServer,
  requestKey,
} from "../../../support/eval-server.ts";
import { replayOf, type SetResult, setOf, startSet } from "../../../support/eval-sets.ts";
import { projectRoot } from "../../../support/project.ts";
import { harn } from "../../../support/run-cli.ts";
import { tenthOf } from "../../../support/smoke.ts";
import { tempFolders } from "../../../support/temp-folder.ts";

const fresh = tempFolders("eval-kills");

/** Agents with a tool, users that a model plays, and a judge that draws twice. */
const script = `import "std/eval"
tool look(id: string) -> string {
  description "Looks a number up."
  world_set("looked.\${id}", true)
  // Luck is the trial's own: a trial that goes on has the same.
  world_set("luck", random_int(0, 1000000000))
  "\${id} is \${len(id) + 3}"
}
let model = {provider: "openrouter", model: "gpt-4o-mini"}
eval_task({
  name: "numbers",
  dataset: range(0, 8).map({ n -> {id: "s\${n}", target: "5", scenario: {goal: "The number of s\${n}", knows: "s\${n}", opening: "Hello of s\${n}!"}} }).to_list(),
  tools: [look],
  user: { sample -> person(sample.scenario) },
  solver: { _sample, trial -> dialogue(trial.user, "Use the tool.", {tool_format: "native"}) },
  scorers: [
    includes(),
    world_is({ sample -> {looked: {"\${sample.id}": true}} }, {partial: true}),
    judge("The number is named.", {draws: 2}),
    {name: "by_hand", score: { outcome, _sample ->
      let first = llm_call("opinion 1 \${outcome.text}", "opinion", model).text
      let second = llm_call("opinion 2 \${outcome.text}", "opinion", model).text
      {draws: [contains(first, "yes"), contains(second, "yes")]}
    }, threshold: 1},
  ],
  success: ["includes", "world_is"],
  roles: {agent: model, user: model, judge: model},
  epochs: 3,
})
`;

const sampleOf = (messages: ChatRequest["messages"]): string =>
  /s\d+/.exec(JSON.stringify(messages))?.[0] ?? "";

/** What is said depends on the request alone. */
function answer({ messages }: ChatRequest): ChatAnswer {
  const last = messages.at(-1);
  const said = last?.content;
  const text = typeof said === "string" ? said : JSON.stringify(said);
  const whole = JSON.stringify(messages);
  const delay = 5 + (text.length % 7);
  const id = sampleOf(messages);
  const json = (value: object): ChatAnswer => ({ text: JSON.stringify(value), delay });
  if (whole.includes("Judge by the rubric"))
    return json({ reasoning: "Read.", verdict: text.includes("7") ? "fail" : "pass" });
  if (whole.includes("What do you say?"))
    return /s\d is 5/.test(whole)
      ? json({ reason: "I know it.", action: "stop", message: "" })
      : json({ reason: "I was asked.", action: "reply", message: `${id}, please.` });
  if (text.startsWith("opinion")) return { text: text.includes("1") ? "yes" : "no", delay };
  if (last?.role === "tool") return { text: `The number: ${/s\d is \d/.exec(text)?.[0]}.`, delay };
  if (text.startsWith("Hello")) return { text: "Which number?", delay };
  return { tool: { name: "look", arguments: { id } }, delay };
}

const env = (url: string) => ({ OPENROUTER_API_KEY: "k-123456789", OPENROUTER_BASE_URL: `${url}/v1` });
/** `HARN_EVAL_KILLS=200 npx vitest run test/unit/cli/eval/kills.test.ts` is the torture; `npm run test:long` does a few. */
const kills = Number(process.env.HARN_EVAL_KILLS ?? tenthOf(6));
/** A kill with its restart took 18 s on a machine under a load of 20. */
const timeout = 600_000 + kills * 45_000;
const request = { file: "set.harn", flags: { seed: "seven" }, set: "k", options: { trials: 4 } };

it("kills: the receipt of an undisturbed set, and at most what was in flight is asked again", {
  timeout,
}, async () => {
  /** The newest request of each sample: what a kill may have torn. */
  const newest = new Map<string, string>();
  const server = await evalServer((asked) => {
    newest.set(sampleOf(asked.messages), requestKey(asked));
    return answer(asked);
  });
  const whole = fresh();
  writeFileSync(join(whole, "set.harn"), script);
  const undisturbed = await setOf(whole, "run", request, env(server.url));
  expect(undisturbed).toMatchObject({ state: "done", exitCode: 0 });
  const requests = new Map(server.seen);
  expect(requests.size).toBeGreaterThan(50);
  const undisturbedCount = [...requests.values()].reduce((sum, times) => sum + times, 0);

  let last = "";
  let repeated = 0;
  for (let killed = 0; killed < kills; ) {
    const torn = await tornSet(server, kills - killed, killed, newest);
    killed += torn.killed;
    last = torn.folder;
    expect(torn.result.receipt).toBe(undisturbed.receipt);
    expect(torn.result.trials.every(({ state }) => state === "done")).toBe(true);
    expect([...server.seen.keys()].sort()).toEqual([...requests.keys()].sort());
    // A trial waits for one call at a time: a kill lets that be asked once more, and none before it.
    for (const [key, times] of server.seen)
      expect(times - (requests.get(key) ?? 0), key).toBeLessThanOrEqual(torn.inFlight.get(key) ?? 0);
    const again = [...server.seen.values()].reduce((sum, times) => sum + times, -undisturbedCount);
    expect(again).toBeGreaterThanOrEqual(0);
    // At most four trials were under way.
    expect(again).toBeLessThanOrEqual(torn.killed * 4);
    repeated += again;
  }
  await server.close();
  console.log(`${kills} kills: ${repeated} requests were in flight and asked again, no other`);
  // Without the server, without a key and without the program.
  rmSync(join(whole, "set.harn"));
  expect(await replayOf(whole, "k")).toMatchObject({
    receipt: undisturbed.receipt,
    stored: undisturbed.receipt,
    trials: 24,
    differs: null,
    broken: null,
  });
  expect(carriedElsewhere(last)).toBe(undisturbed.receipt);
});

/** The receipt of a set that was killed, once it lies elsewhere: without its project, without a key, with every socket refused. */
function carriedElsewhere(folder: string): string | undefined {
  const there = fresh();
  const at = (cwd: string, ...args: string[]) =>
    harn(["eval", ...args], {
      cwd,
      env: { NODE_OPTIONS: `--require ${join(projectRoot, "test/support/no-network.cjs")}` },
    });
  expect(at(folder, "export", "k", "k.harneval")).toMatchObject({ stderr: "", status: 0 });
  renameSync(join(folder, "k.harneval"), join(there, "k.harneval"));
  rmSync(folder, { recursive: true });
  expect(at(there, "import", "k.harneval")).toMatchObject({
    stdout: "k  24 trials\n",
    stderr: "",
    status: 0,
  });
  const replayed = at(there, "replay", "k", "--json");
  expect(replayed).toMatchObject({ stderr: "", status: 0 });
  const { receipt, trials, not_replayable } = JSON.parse(replayed.stdout);
  expect({ trials, not_replayable }).toEqual({ trials: 24, not_replayable: 0 });
  return receipt;
}

interface Torn {
  readonly folder: string;
  readonly killed: number;
  /** At how many kills a request may have been in flight. */
  readonly inFlight: ReadonlyMap<string, number>;
  readonly result: SetResult;
}

/** A set that is killed again and again, at most so often, until it is done. */
async function tornSet(
  server: EvalServer,
  max: number,
  seed: number,
  newest: Map<string, string>,
): Promise<Torn> {
  const folder = fresh();
  writeFileSync(join(folder, "set.harn"), script);
  server.seen.clear();
  newest.clear();
  const inFlight = new Map<string, number>();
  let killed = 0;
  for (let turn = 0; turn < max + 20; turn++) {
    const draw = ((turn + seed) * 7919 + 13) % 97;
    const goesOn = existsSync(join(folder, "begun"));
    const run = startSet(folder, goesOn ? "resume" : "run", goesOn ? { set: "k" } : request, env(server.url));
    if (killed < max) {
      let isOver = false;
      void run.ended.then(() => {
        isOver = true;
      });
      // Every eighth dies while it starts; the others some calls later, and some milliseconds.
      const from = server.count();
      const began = Date.now();
      const early = draw % 8 === 0;
      while (
        !isOver &&
        (early ? Date.now() - began < 400 + draw * 6 : server.count() < from + 1 + (draw % 9))
      )
        await sleep(2);
      await sleep(draw % 13);
      if (run.child.exitCode === null) killed++;
      run.child.kill("SIGKILL");
    }
    const { result, stderr } = await run.ended;
    if (result === undefined)
      for (const key of newest.values()) inFlight.set(key, (inFlight.get(key) ?? 0) + 1);
    if (server.seen.size > 0) writeFileSync(join(folder, "begun"), "");
    if (result !== undefined) {
      if (result.state === "done") return { folder, killed, inFlight, result };
      throw new Error(`it ended ${JSON.stringify(result)}\n${stderr}`);
    }
  }
  throw new Error("it does not come to its end");
}
