/** The engine over the store's file: all or nothing, leases and messages, what happens once, hints, and files that show it. */
// suite: slow
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  clientOf,
  defineOperations,
  EmbeddedLedger,
  operation,
  ProjectedFiles,
  type ProjectionFiles,
  records,
  scriptStore,
  type Tx,
} from "../../../src/durable/index.ts";
import { allOperations } from "../../../src/durable/operations/index.ts";
import { createNodeHost, nodeDigest } from "../../../src/host/index.ts";
import { openStore, StoreError } from "../../../src/store/index.ts";
import { tempFolders } from "../../support/temp-folder.ts";
import { samples } from "./samples.ts";

const freshFolder = tempFolders("ledger");

let folder: string;
let ledger: EmbeddedLedger;

const open = (): EmbeddedLedger => new EmbeddedLedger(openStore(folder), createNodeHost().clock);

beforeEach(() => {
  folder = freshFolder();
  ledger = open();
});
afterEach(async () => {
  await ledger.close();
});

const count = (of: { readonly by: number }): readonly string[] => [`count:${of.by}`];
const counters = defineOperations("counters", {
  add: operation({
    doc: "Adds to a counter; gives it.",
    scopes: count,
    run: (tx: Tx, { by }: { readonly by: number }): number => {
      const sum = Number(tx.get("counters", "n") ?? 0) + by;
      tx.put("counters", "n", sum);
      if (by < 0) throw new StoreError("invalid", "it only grows");
      return sum;
    },
  }),
});

const faultOf = (work: () => unknown): string => {
  try {
    work();
  } catch (error) {
    if (error instanceof StoreError) return error.fault;
    throw error;
  }
  return "none";
};

describe("an operation", () => {
  it("writes everything or nothing", async () => {
    expect(ledger.operateSync(counters.add, { by: 2 })).toBe(2);
    expect(faultOf(() => ledger.operateSync(counters.add, { by: -1 }))).toBe("invalid");
    expect(ledger.operateSync(counters.add, { by: 1 })).toBe(3);
  });

  it("with a key is done once, also in another process", async () => {
    expect(ledger.operateSync(counters.add, { by: 2 }, { key: "k" })).toBe(2);
    expect(ledger.operateSync(counters.add, { by: 5 }, { key: "k" })).toBe(2);
    const other = open();
    expect(other.operateSync(counters.add, { by: 5 }, { key: "k" })).toBe(2);
    expect(other.operateSync(counters.add, { by: 1 }, { key: "other" })).toBe(3);
    await other.close();
  });

  it("under a lease is refused to a former owner", () => {
    const { leases } = ledger.store;
    const old = leases.take("l");
    leases.release(old!);
    const lease = leases.take("l");
    expect(faultOf(() => ledger.operateSync(counters.add, { by: 1 }, { lease: old! }))).toBe("taken");
    expect(ledger.operateSync(counters.add, { by: 1 }, { lease: lease! })).toBe(1);
  });

  it("acknowledges its message with what it writes, and writes nothing when the claim is lost", () => {
    const { mailboxes } = ledger.store;
    mailboxes.enqueue("m", 1);
    const old = mailboxes.claim("m");
    mailboxes.defer(old!);
    const message = mailboxes.claim("m");
    expect(faultOf(() => ledger.operateSync(counters.add, { by: 1 }, { message: old! }))).toBe("taken");
    expect(ledger.operateSync(counters.add, { by: 1 }, { message: message! })).toBe(1);
    expect(mailboxes.messages("m")).toEqual([]);
  });

  it("is a method of those who call its table, which takes its arguments and what is asked of the engine", () => {
    const called = new (clientOf({ ...counters, ...records }))(ledger);
    expect(called.add({ by: 2 }, { key: "k" })).toBe(2);
    expect(called.add({ by: 5 }, { key: "k" })).toBe(2);
    expect(called.list({ space: "none" })).toEqual([]);
    expect(new (clientOf(scriptStore))(ledger).all()).toEqual([]);
  });
});

it.each(samples.map((sample) => [sample.operation, sample] as const))(
  "%s gives what the operation gives elsewhere",
  (name, { before = [], state, args, result }) => {
    if (state !== undefined) return;
    for (const [operation, input] of before)
      ledger.operateSync(allOperations.get(operation) as never, input as never);
    let got: string;
    try {
      got = JSON.stringify(ledger.operateSync(allOperations.get(name) as never, args as never) ?? null);
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      got = `${error.fault}: ${error.message}`;
    }
    got = got.replace(/"changed":\d+/, '"changed":1700000000000');
    if (typeof result === "string") expect(got).toBe(result);
    else expect(got).toMatch(result);
  },
);

describe("changes", () => {
  it("tell of this process's writes at once, of others' after a look, and end with the signal", async () => {
    const stop = new AbortController();
    const changes = ledger.changes(["count:1", "count:2"], stop.signal);
    ledger.operateSync(counters.add, { by: 3 });
    ledger.operateSync(counters.add, { by: 1 });
    expect((await changes.next()).value).toEqual({ scopes: ["count:1"] });
    const other = open();
    const next = changes.next();
    other.operateSync(counters.add, { by: 7 });
    expect((await next).value).toEqual({ scopes: ["count:1", "count:2"] });
    await other.close();
    const last = changes.next();
    stop.abort();
    expect((await last).done).toBe(true);
  });
});

describe("a file that shows the store", () => {
  const files: ProjectionFiles = {
    ...createNodeHost().files,
    write: (path, text) => writeFileSync(path, text),
    digest: (text) => nodeDigest(text),
    conceal: (text) => text.replaceAll("secret", "{{s}}"),
    reveal: (_path, text) => text.replaceAll("{{s}}", "secret"),
  };
  const shown = () => ({
    path: join(folder, "shown.json"),
    render: () => {
      const all = ledger.operateSync(scriptStore.all, {});
      return all.length === 0 ? undefined : JSON.stringify(Object.fromEntries(all));
    },
    adopt: (text: string | undefined) => {
      const values = text === undefined ? {} : (JSON.parse(text) as { [key: string]: string });
      ledger.operateSync(scriptStore.replace, { values });
    },
  });
  const set = (key: string, text: string) => () => ledger.operateSync(scriptStore.set, { key, text });

  it("is written with each change, taken over when others changed it, and removed when there is nothing", () => {
    const projected = new ProjectedFiles(ledger, files);
    const { path } = shown();
    expect(projected.update(shown(), set("a", "secret")).isEdited).toBe(false);
    expect(readFileSync(path, "utf8")).toBe('{"a":"{{s}}"}');
    expect(projected.open(shown())).toBe(false);
    writeFileSync(path, '{"b":"{{s}}!"}');
    expect(projected.update(shown(), set("c", "3")).isEdited).toBe(true);
    expect(ledger.operateSync(scriptStore.all, {})).toEqual([
      ["b", "secret!"],
      ["c", "3"],
    ]);
    rmSync(path);
    expect(projected.open(shown())).toBe(true);
    expect(projected.open(shown())).toBe(false);
    expect(ledger.operateSync(scriptStore.all, {})).toEqual([]);
    projected.update(shown(), set("a", "1"));
    projected.update(shown(), () => ledger.operateSync(scriptStore.remove, { key: "a" }));
    expect(files.stat(path)).toBeUndefined();
  });

  it("that can't be read is left as it is, and nothing is changed", () => {
    const projected = new ProjectedFiles(ledger, files);
    const { path } = shown();
    projected.update(shown(), set("a", "1"));
    writeFileSync(path, "{broken");
    expect(() => projected.update(shown(), set("b", "2"))).toThrow("JSON");
    expect(readFileSync(path, "utf8")).toBe("{broken");
    expect(ledger.operateSync(scriptStore.all, {})).toEqual([["a", "1"]]);
  });
});
