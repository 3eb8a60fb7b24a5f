/** Ends of trials that are committed together: each is all or nothing, and none depends on another. */
import { expect, test } from "vitest";
import { EmbeddedOperations } from "../../../../src/durable/index.ts";
import { EvalStore } from "../../../../src/eval/sets/eval-store.ts";
import { TrialEnds } from "../../../../src/eval/sets/trial-ends.ts";
import { nodeDigest } from "../../../../src/host/index.ts";
import { openStore } from "../../../../src/store/index.ts";
import { tempFolder } from "../../../support/temp-folder.ts";

const folder = tempFolder("trial-ends");

const row = (name: string) => ({
  name,
  plan: null,
  seed: "1",
  spec: "{}",
  state: "done",
  why: null,
  program: "",
  began: 0,
  ended: null,
  receipt: null,
});

test("one that fails leaves nothing, and the others are there", async () => {
  const files = openStore(folder);
  const store = new EvalStore(new EmbeddedOperations(files), nodeDigest);
  let commits = 0;
  const counted = Object.create(store, {
    together: {
      value: (work: () => void) => {
        commits++;
        store.together(work);
      },
    },
  }) as EvalStore;
  const ends = new TrialEnds(counted, () => new Promise((resolve) => setImmediate(resolve)));
  const put = (name: string) => () => void store.insert("eval_set", [row(name)]);
  try {
    const first = ends.end(put("a"));
    const broken = ends.end(() => {
      put("b")();
      throw new Error("no more");
    });
    const last = ends.end(put("c"));
    expect(store.sets()).toEqual([]);
    await expect(broken).rejects.toThrow("no more");
    await Promise.all([first, last]);
    expect(store.sets().map(({ name }) => name)).toEqual(["c", "a"]);
    expect(commits).toBe(1);
    await ends.end(put("d"));
    expect(store.sets().map(({ name }) => name)).toEqual(["d", "c", "a"]);
  } finally {
    files.close();
  }
});
