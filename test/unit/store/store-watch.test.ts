/** What watches for what other connections write: who is told, when, and what becomes of errors and of the process. */
import { setTimeout as wait } from "node:timers/promises";
import { expect, it } from "vitest";
import { openStore, type Store, StoreError, StoreWatch } from "../../../src/store/index.ts";
import { tempFolders } from "../../support/temp-folder.ts";

const freshFolder = tempFolders("store-watch");

/** One store by two connections: that which is watched, and another that writes. */
function twoConnections() {
  const folder = freshFolder();
  const store = openStore(folder);
  const other = openStore(folder);
  let written = 0;
  return {
    store,
    write: () => other.entries.set("space", "key", ++written),
    [Symbol.dispose]: () => {
      for (const one of [store, other]) one.close();
    },
  };
}

const patience = { timeout: 20_000 };

it("looks at first, and when another connection has written; not for what is written here", () => {
  using both = twoConnections();
  const watch = new StoreWatch(both.store);
  const seen: unknown[] = [];
  const end = watch.add((store) => void seen.push(store.entries.get("space", "key")));
  watch.look();
  watch.look();
  expect(seen).toHaveLength(1);
  both.write();
  watch.look();
  expect(seen).toHaveLength(2);
  expect(seen[1]).toBe(1);
  both.store.entries.set("space", "key", "own");
  watch.look();
  expect(seen).toHaveLength(2);
  end();
  both.write();
  watch.look();
  expect(seen).toHaveLength(2);
});

it("looks once more for who is added again, while it looks too", () => {
  using both = twoConnections();
  const watch = new StoreWatch(both.store);
  let looks = 0;
  const look = (): void => {
    looks++;
    if (looks === 1) watch.add(look);
  };
  watch.add(look);
  for (let tries = 0; tries < 3; tries++) watch.look();
  expect(looks).toBe(2);
  watch.end();
});

it("looks by itself, and no more when it has ended", async () => {
  using both = twoConnections();
  const watch = new StoreWatch(both.store);
  let looks = 0;
  watch.add(() => void looks++);
  await expect.poll(() => looks, patience).toBe(1);
  both.write();
  await expect.poll(() => looks, patience).toBe(2);
  watch.end();
  both.write();
  await wait(250);
  expect(looks).toBe(2);
});

it("who comes later sees what was written before", () => {
  using both = twoConnections();
  const watch = new StoreWatch(both.store);
  const looks: string[] = [];
  watch.add(() => void looks.push("first"));
  watch.look();
  looks.length = 0;
  watch.add(() => void looks.push("second"));
  watch.look();
  expect(looks).toContain("second");
  watch.end();
});

it("what one can't take is told once, keeps nothing from the others, and is looked at again", () => {
  using both = twoConnections();
  const told: unknown[] = [];
  const watch = new StoreWatch(both.store, (problem) => void told.push(problem));
  let isBroken = true;
  const looks: string[] = [];
  const look = (): void => {
    looks.push("first");
    if (isBroken) throw new Error("broken");
  };
  watch.add(look);
  watch.add(() => void looks.push("second"));
  for (let tries = 0; tries < 3; tries++) watch.look();
  expect(looks).toEqual(["first", "second", "first", "second", "first", "second"]);
  expect(told).toEqual([new Error("broken")]);
  isBroken = false;
  watch.look();
  watch.look();
  expect(looks).toHaveLength(8);
  isBroken = true;
  both.write();
  watch.look();
  expect(told).toHaveLength(2);
  watch.end();
});

it("where nobody is told, a store that is busy is looked at again, and a defect is thrown", () => {
  using both = twoConnections();
  const watch = new StoreWatch(both.store);
  let problem: Error = new StoreError("busy", "others write");
  let looks = 0;
  const look = (): void => {
    looks++;
    throw problem;
  };
  const end = watch.add(look);
  watch.look();
  watch.look();
  expect(looks).toBe(2);
  end();
  problem = new Error("a defect");
  watch.add(look);
  expect(() => watch.look()).toThrow("a defect");
  watch.end();
});

it("a store that it opens is looked for until it is there, and closed when nobody watches; one that it is given is not", () => {
  using both = twoConnections();
  let own: Store | undefined;
  let asked = 0;
  const watch = new StoreWatch(() => {
    asked++;
    return own;
  });
  let looks = 0;
  const end = watch.add(() => void looks++);
  watch.look();
  expect([asked, looks]).toEqual([1, 0]);
  own = openStore(freshFolder());
  watch.look();
  watch.look();
  expect([asked, looks]).toEqual([2, 1]);
  end();
  expect(() => own?.othersVersion()).toThrow();
  watch.look();
  expect(asked).toBe(2);
  const given = new StoreWatch(both.store);
  given.add(() => {});
  given.end();
  expect(both.store.othersVersion()).toBeGreaterThan(0);
});

it("an opener that throws is told once, and asked again", async () => {
  const told: unknown[] = [];
  let asked = 0;
  const watch = new StoreWatch(
    () => {
      asked++;
      throw new Error("no store");
    },
    (problem) => void told.push(problem),
  );
  const end = watch.add(() => {});
  await expect.poll(() => asked, patience).toBeGreaterThan(2);
  end();
  expect(told).toHaveLength(1);
});
