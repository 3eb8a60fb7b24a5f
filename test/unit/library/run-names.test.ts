/** How programs name runs: each function takes the whole name, and says which one was meant where it is another. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { HarnError, harn } from "../../../src/library/index.ts";
import type { Harn } from "../../../src/library/types.ts";
import { tempFolder } from "../../support/temp-folder.ts";

const folder = tempFolder("run-names");
const h = harn({ cwd: folder, store: join(folder, "state"), env: {} });
const bare = harn({ cwd: folder, store: join(folder, "none"), env: {} });
afterAll(() => Promise.all([h.close(), bare.close()]));

type ByName = (of: Harn, run: never) => PromiseLike<unknown>;

/** All that take the name of a run that is there. */
const byName: readonly (readonly [string, ByName])[] = [
  ["h.resume", (of, run) => of.resume(run)],
  ["h.replay", (of, run) => of.replay(run)],
  ["h.fork", (of, run) => of.fork(run, { at: 1 })],
  ["h.runs.list", (of, run) => of.runs.list({ after: run })],
  [
    "h.runs.events",
    async (of, run) => {
      for await (const event of of.runs.events(run)) return event;
    },
  ],
  ["h.runs.questions", (of, run) => of.runs.questions(run)],
  ["h.runs.answer", (of, run) => of.runs.answer(run, "q", "yes")],
  ["h.runs.export", (of, run) => of.runs.export(run, join(folder, "run.json"))],
  ["h.runs.remove", (of, run) => of.runs.remove(run)],
];

const failure = async (work: () => PromiseLike<unknown>): Promise<HarnError> => {
  try {
    await work();
  } catch (error) {
    expect(error).toBeInstanceOf(HarnError);
    return error as HarnError;
  }
  throw new Error("it did not fail");
};

describe.each(byName)("%s", (name, call) => {
  it.each([
    ["payment-1", "there is no run payment-1: did you mean payment-10?"],
    ["payment-2", "there is no run payment-2: did you mean payment-21, payment-20?"],
    ["10", "there is no run 10: did you mean payment-10?"],
    ["paymnt-10", "there is no run paymnt-10: did you mean payment-10?"],
    ["n", "there is no run n: did you mean n7, n6, n5, n4, n3, 2 more?"],
    ["last", "there is no run last"],
    ["__proto__", "there is no run __proto__"],
    ["ü".repeat(200), `there is no run ${"ü".repeat(200)}`],
  ])("takes no other name than the whole one: %s", async (run, message) => {
    await recorded;
    const error = await failure(() => call(h, run as never));
    expect([error.code, error.message.split("\n")[0]]).toEqual(["HARN-CLI-005", message]);
    expect(error.message).toContain("`h.runs.list()`");
  });

  it("says so where nothing was recorded, and begins no store", async () => {
    expect((await failure(() => call(bare, "payment-1" as never))).code).toBe("HARN-CLI-005");
    expect(existsSync(join(folder, "none"))).toBe(false);
  });

  it.each([undefined, null, 7, "", {}])("refuses what is no name: %j", async (run) => {
    if (run === undefined && name === "h.runs.list") return;
    const error = await failure(async () => await call(h, run as never));
    expect([error.code, error.message]).toEqual(["HARN-LIB-001", expect.stringContaining(`${name}: `)]);
  });
});

const recorded = (async () => {
  const names = ["payment-10", "payment-20", "payment-21", ..."1234567".split("").map((at) => `n${at}`)];
  for (const name of names) await h.run({ text: "return 1" }, { name });
})();

it("`get` tells whether there is one of just this name: a run under a name is begun once", async () => {
  await recorded;
  expect(await h.runs.get("payment-1")).toBeUndefined();
  expect(await h.runs.get("last")).toBeUndefined();
  expect(await h.runs.get("payment-10")).toMatchObject({ run: "payment-10", status: "done" });
  await expect(h.runs.get(7 as never)).rejects.toMatchObject({ code: "HARN-LIB-001" });
  await expect(h.runs.export("payment-10", undefined as never)).rejects.toMatchObject({
    code: "HARN-LIB-001",
  });
  await expect(h.runs.import({} as never)).rejects.toMatchObject({ code: "HARN-LIB-001" });
});
