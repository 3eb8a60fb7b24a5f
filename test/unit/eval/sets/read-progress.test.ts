/** What is read of how far a set is, is what the whole set says: counts by state and money, to the last digit. */
import { afterAll, expect, test } from "vitest";
import { EmbeddedOperations } from "../../../../src/durable/index.ts";
import { reportedSpec } from "../../../../src/eval/report/recorded-set.ts";
import { EvalStore, type NewRow } from "../../../../src/eval/sets/eval-store.ts";
import { setProgress } from "../../../../src/eval/sets/read-progress.ts";
import { storedSetOf } from "../../../../src/eval/sets/read-set.ts";
import { usualOptions } from "../../../../src/eval/sets/set-spec.ts";
import { nodeDigest } from "../../../../src/host/index.ts";
import { openStore } from "../../../../src/store/index.ts";
import { tempFolder } from "../../../support/temp-folder.ts";

const files = openStore(tempFolder("read-progress"));
afterAll(() => files.close());
const store = new EvalStore(new EmbeddedOperations(files), nodeDigest);

const insert = (table: Parameters<EvalStore["insert"]>[0], row: NewRow): number =>
  store.insert(table, [row])[0] as number;

/** Sums of these depend on their order. */
const costs = [0.1, 0.7, 1e-9, 0.3, 1e16, -1e16, 0.2];

function makeSet(): number {
  const set = insert("eval_set", {
    name: "s",
    plan: null,
    seed: "1",
    spec: JSON.stringify({ options: { ...usualOptions, costUsd: 5 }, stale: 0 }),
    state: "paused",
    why: "budget",
    program: "",
    began: 0,
    ended: null,
    receipt: null,
  });
  let ord = 40;
  for (const name of ["first", "second"]) {
    const spec = JSON.stringify(reportedSpec(name));
    const task = insert("eval_task", { eval_set: set, name, spec, digest: "" });
    const variants = ["a", "b"].map((key) =>
      insert("eval_variant", { eval_set: set, task, key, digest: "", body: '{"name":"v","body":{}}' }),
    );
    for (let at = 0; at < 3; at++) {
      const key = `r${at}`;
      const sample = insert("eval_sample", {
        eval_set: set,
        task,
        key,
        digest: key,
        ord: at,
        cluster: null,
        // The row has left the dataset.
        retired: Number(at === 2),
        body: null,
      });
      for (const [place, variant] of variants.entries())
        for (const kind of place === 0 ? ["epoch", "oracle", "cross"] : ["epoch"]) {
          const state = ["done", "errored", "pending", "skipped"][ord % 4] as string;
          const cost = costs[ord % costs.length] as number;
          const row = { eval_set: set, sample, variant, epoch: 1, streams: "{}", kind, ord: ord--, state };
          const trial = insert("eval_trial", { ...row, digest: "", cost });
          const score = { eval_set: set, trial, scorer: "judge", version: 1, draw: 1, cost: cost / 3 };
          store.write([
            {
              table: "eval_score",
              row: { ...score, value: null, pass: null, label: null, body: null, run: null },
            },
          ]);
        }
    }
  }
  return set;
}

test("counts and money are those of the whole set", () => {
  makeSet();
  const row = store.set("s");
  if (row === undefined) throw new Error("the set is gone");
  const whole = storedSetOf(store, row);
  const progress = setProgress(store, row);
  expect(progress).toMatchObject({ name: "s", state: "paused", why: "budget", costLimit: 5 });
  expect(progress.costUsd).toBe(whole.costUsd);
  expect(progress.costUsd).not.toBe(0);
  for (const [at, { spec, trials }] of whole.tasks.entries()) {
    const task = progress.tasks[at];
    expect(task).toMatchObject({ name: spec.name, trials: trials.length });
    // Two samples of two variants; the third one is retired.
    expect(task?.trials).toBe(4);
    const states = Object.entries(task?.states ?? {}).filter(([, count]) => count > 0);
    expect(new Map(states)).toEqual(
      new Map([...Map.groupBy(trials, ({ state }) => state)].map(([state, own]) => [state, own.length])),
    );
  }
});
