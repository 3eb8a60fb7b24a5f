/** The dispatcher over the embedded store: order, capacity, lost letters, fencing, and resting until something is due. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { VirtualClock } from "../../../src/host/index.ts";
import { openStore, type Store } from "../../../src/store/index.ts";
import {
  type Dispatcher,
  embeddedDispatcher,
  MailboxFull,
  NoLongerOwner,
} from "../../../src/work/dispatch/index.ts";

const box = "daemon:d";

let folder: string;
let clock: VirtualClock;
let store: Store;
let dispatch: Dispatcher;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "harn-dispatch-"));
  clock = new VirtualClock();
  store = openStore(folder, { now: () => clock.now() });
  dispatch = embeddedDispatcher(store, clock);
});

afterEach(() => {
  store.close();
  rmSync(folder, { recursive: true });
});

/** Somebody else's claim on the same letter: as if this process had been frozen and taken over. */
function takenOver(seq: number): void {
  store.transaction(() => {
    const item = store.queues.items(box).find((one) => one.seq === seq);
    if (item !== undefined) store.queues.release(item);
  });
  store.queues.claim(box);
}

describe("letters", () => {
  it("are handed out in order, one at a time", async () => {
    for (const n of [1, 2, 3]) await dispatch.send(box, { n });
    const first = await dispatch.take(box);
    expect(first?.body).toEqual({ n: 1 });
    expect(await dispatch.take(box)).toBeUndefined();
    expect((await dispatch.letters(box)).map(({ inWork }) => inWork)).toEqual([true, false, false]);
    expect(await dispatch.complete(first!)).toBe(true);
    expect((await dispatch.take(box))?.body).toEqual({ n: 2 });
  });

  it("with a key are added once", async () => {
    expect(await dispatch.send(box, "tick", { key: "timer" })).toBeTypeOf("number");
    expect(await dispatch.send(box, "tick", { key: "timer" })).toBeUndefined();
  });

  it("beyond the capacity are refused", async () => {
    await dispatch.send(box, 1, { capacity: 2 });
    await dispatch.take(box);
    await dispatch.send(box, 2, { capacity: 2 });
    await expect(dispatch.send(box, 3, { capacity: 2 })).rejects.toThrow(MailboxFull);
    expect(await dispatch.letters(box)).toHaveLength(2);
  });

  it("that are not due yet wait", async () => {
    await dispatch.send(box, "later", { due: clock.now() + 1000 });
    expect(await dispatch.take(box)).toBeUndefined();
    await dispatch.arrival("daemon:*");
    expect((await dispatch.take("daemon:*"))?.body).toBe("later");
  });

  it("that were lost can't be completed, and nothing is written", async () => {
    const seq = await dispatch.send(box, "work");
    const letter = await dispatch.take(box);
    takenOver(seq!);
    expect(await dispatch.renew(letter!)).toBe(false);
    expect(await dispatch.complete(letter!, [{ space: "s", key: "k", value: 1 }])).toBe(false);
    expect(store.entries.get("s", "k")).toBeUndefined();
  });

  it("are completed together with what is written", async () => {
    await dispatch.send(box, "work");
    const letter = await dispatch.take(box);
    expect(await dispatch.complete(letter!, [{ space: "s", key: "k", value: 1 }])).toBe(true);
    expect(store.entries.get("s", "k")).toBe(1);
    expect(await dispatch.letters(box)).toEqual([]);
  });

  it("that were buried are kept with the reason and can be revived", async () => {
    await dispatch.send(box, "bad");
    await dispatch.send(box, "good");
    const bad = await dispatch.take(box);
    await dispatch.bury(bad!, "it fails");
    expect((await dispatch.take(box))?.body).toBe("good");
    expect((await dispatch.letters(box)).map(({ dead }) => dead)).toEqual(["it fails", undefined]);
    expect(await dispatch.revive(bad!.seq)).toBe(true);
    expect(await dispatch.empty(box)).toBe(2);
  });

  it("that are postponed keep their place", async () => {
    await dispatch.send(box, 1);
    await dispatch.send(box, 2);
    const first = await dispatch.take(box);
    await dispatch.postpone(first!);
    expect((await dispatch.take(box))?.body).toBe(1);
  });
});

describe("resting", () => {
  it("ends at once when a letter of the same process comes", async () => {
    const rested = dispatch.arrival(box);
    await dispatch.send(box, "hello");
    await rested;
    expect((await dispatch.take(box))?.body).toBe("hello");
  });

  it("ends with the signal", async () => {
    const stop = new AbortController();
    const rested = dispatch.arrival(box, stop.signal);
    stop.abort(new Error("enough"));
    await expect(rested).rejects.toThrow("enough");
  });
});

describe("names", () => {
  it("have one owner at a time", async () => {
    const mine = await dispatch.own("daemon:d");
    expect(mine?.fence).toBe(1);
    expect(await dispatch.own("daemon:d")).toBeUndefined();
    expect(await dispatch.ownerOf("daemon:d")).toEqual({ who: `process ${process.pid}`, pid: process.pid });
    await dispatch.disown(mine!);
    expect(await dispatch.ownerOf("daemon:d")).toBeUndefined();
    expect((await dispatch.own("daemon:d"))?.fence).toBe(2);
  });

  it("can't be written under by a former owner", async () => {
    const mine = await dispatch.own("daemon:d");
    await dispatch.disown(mine!);
    await dispatch.own("daemon:d");
    const writing = dispatch.write(mine!, [{ space: "s", key: "k", value: 1 }]);
    await expect(writing).rejects.toThrow(NoLongerOwner);
    expect(store.entries.get("s", "k")).toBeUndefined();
    expect(await dispatch.keep(mine!)).toBe(false);
  });
});
