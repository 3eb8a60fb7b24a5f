/** The dispatcher over the embedded store: order, capacity, lost messages, fencing, and resting until something is due. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  clientOf,
  type Dispatcher,
  EmbeddedOperations,
  embeddedDispatcher,
  records,
} from "../../../src/durable/index.ts";
import { VirtualClock } from "../../../src/host/index.ts";
import { openStore, type Store } from "../../../src/store/index.ts";
import { tempFolders } from "../../support/temp-folder.ts";

const freshFolder = tempFolders("dispatch");

const box = "daemon:d";

let folder: string;
let clock: VirtualClock;
let store: Store;
let dispatch: Dispatcher;

beforeEach(() => {
  folder = freshFolder();
  clock = new VirtualClock();
  store = openStore(folder, { now: () => clock.now() });
  dispatch = embeddedDispatcher(store, clock);
});

afterEach(() => {
  store.close();
});

const writes = [{ space: "s", key: "k", value: 1 }];
const write = (options: object) =>
  new (clientOf(records))(new EmbeddedOperations(store)).write({ writes }, options);

/** Somebody else's claim on the same message: as if this process had been frozen and taken over. */
function takenOver(seq: number): void {
  store.transaction(() => {
    const item = store.mailboxes.messages(box).find((one) => one.seq === seq);
    if (item !== undefined) store.mailboxes.defer(item);
  });
  store.mailboxes.claim(box);
}

describe("messages", () => {
  it("are handed out in order, one at a time", async () => {
    for (const n of [1, 2, 3]) await dispatch.enqueue(box, { n });
    const first = await dispatch.claim(box);
    expect(first?.body).toEqual({ n: 1 });
    expect(await dispatch.claim(box)).toBeUndefined();
    expect((await dispatch.messages(box)).map(({ isClaimed }) => isClaimed)).toEqual([true, false, false]);
    expect(await dispatch.ack(first!)).toBe(true);
    expect((await dispatch.claim(box))?.body).toEqual({ n: 2 });
  });

  it("with a key are added once", async () => {
    expect(await dispatch.enqueue(box, "tick", { key: "timer" })).toBeTypeOf("number");
    expect(await dispatch.enqueue(box, "tick", { key: "timer" })).toBeUndefined();
  });

  it("beyond the capacity are refused", async () => {
    await dispatch.enqueue(box, 1, { capacity: 2 });
    await dispatch.claim(box);
    await dispatch.enqueue(box, 2, { capacity: 2 });
    await expect(dispatch.enqueue(box, 3, { capacity: 2 })).rejects.toThrow(
      "holds 2 messages, more are not taken",
    );
    expect(await dispatch.messages(box)).toHaveLength(2);
  });

  it("that are not due yet wait", async () => {
    await dispatch.enqueue(box, "later", { due: clock.now() + 1000 });
    expect(await dispatch.claim(box)).toBeUndefined();
    await dispatch.arrival("daemon:*");
    expect((await dispatch.claim("daemon:*"))?.body).toBe("later");
  });

  it("that were lost can't be acknowledged, and nothing is written", async () => {
    const seq = await dispatch.enqueue(box, "work");
    const message = await dispatch.claim(box);
    takenOver(seq!);
    expect(await dispatch.renew(message!)).toBe(false);
    expect(await dispatch.ack(message!)).toBe(false);
    expect(() => write({ message })).toThrow("was taken over by another process");
    expect(store.entries.get("s", "k")).toBeUndefined();
  });

  it("are acknowledged together with what is written", async () => {
    await dispatch.enqueue(box, "work");
    const message = await dispatch.claim(box);
    write({ message });
    expect(store.entries.get("s", "k")).toBe(1);
    expect(await dispatch.messages(box)).toEqual([]);
  });

  it("that were dead-lettered are kept with the reason and can be redriven", async () => {
    await dispatch.enqueue(box, "bad");
    await dispatch.enqueue(box, "good");
    const bad = await dispatch.claim(box);
    await dispatch.deadLetter(bad!, "it fails");
    expect((await dispatch.claim(box))?.body).toBe("good");
    expect((await dispatch.messages(box)).map(({ deadReason }) => deadReason)).toEqual([
      "it fails",
      undefined,
    ]);
    expect(await dispatch.redrive(bad!.seq)).toBe(true);
    expect(await dispatch.clear(box)).toBe(2);
  });

  it("that are deferred keep their place", async () => {
    await dispatch.enqueue(box, 1);
    await dispatch.enqueue(box, 2);
    const first = await dispatch.claim(box);
    await dispatch.defer(first!);
    expect((await dispatch.claim(box))?.body).toBe(1);
  });
});

describe("resting", () => {
  it("ends at once when a message of the same process comes", async () => {
    const rested = dispatch.arrival(box);
    await dispatch.enqueue(box, "hello");
    await rested;
    expect((await dispatch.claim(box))?.body).toBe("hello");
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
    const mine = await dispatch.acquire("daemon:d");
    expect(mine?.fence).toBe(1);
    expect(await dispatch.acquire("daemon:d")).toBeUndefined();
    expect(await dispatch.ownerOf("daemon:d")).toMatchObject({
      who: `process ${process.pid}`,
      pid: process.pid,
    });
    await dispatch.release(mine!);
    expect(await dispatch.ownerOf("daemon:d")).toBeUndefined();
    expect((await dispatch.acquire("daemon:d"))?.fence).toBe(2);
  });

  it("can't be written under by a former owner", async () => {
    const mine = await dispatch.acquire("daemon:d");
    await dispatch.release(mine!);
    await dispatch.acquire("daemon:d");
    expect(() => write({ lease: mine })).toThrow("was taken over by another process");
    expect(store.entries.get("s", "k")).toBeUndefined();
    expect(await dispatch.renewLease(mine!)).toBe(false);
  });
});
