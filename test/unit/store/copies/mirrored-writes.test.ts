/** What the copy of a run is given, and when: after it is committed in the store, before an effect begins, and never too little. */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { JournalProblem } from "../../../../src/effects/index.ts";
import type { MirroredWrite, RunMirror } from "../../../../src/store/copies/index.ts";
import { openStore, type RunWriter, type Store, StoreError } from "../../../../src/store/index.ts";
import {
  appended,
  beginRun,
  end,
  headerOf,
  intent,
  pieceOf,
  result,
} from "../../../support/cluster-journals.ts";
import { tempFolders } from "../../../support/temp-folder.ts";

const freshFolder = tempFolders("mirrored");

/** A copy in memory, of which one can see what was waited for. */
class MemoryMirror implements RunMirror {
  readonly runs = new Map<
    string,
    { header: string; parent: string | undefined; records: string[]; shown: number }
  >();
  readonly pieces = new Map<string, string>();
  readonly told: string[] = [];
  fail: unknown;

  recordsOf(run: string): number | undefined {
    return this.runs.get(run)?.records.length;
  }

  append(write: MirroredWrite, durable: boolean): void {
    if (this.fail !== undefined) throw this.fail;
    this.told.push(`${write.run} ${write.from}+${write.records.length}${durable ? " durable" : ""}`);
    const known = this.runs.get(write.run);
    const run = known ?? { header: write.header ?? "", parent: write.parent, records: [], shown: 0 };
    this.runs.set(write.run, run);
    if (write.from > run.records.length) throw new Error(`a gap before ${write.from}`);
    write.records.forEach((text, at) => {
      run.records[write.from + at] = text;
    });
    for (const [hash, body] of write.pieces) this.pieces.set(hash, body);
    if (write.shown !== undefined) run.shown = write.shown;
  }

  settle(): void {}
}

let folder: string;
let mirror: MemoryMirror;
let store: Store;

beforeEach(() => {
  folder = freshFolder();
  mirror = new MemoryMirror();
  store = openStore(folder, { mirror });
});
afterEach(() => {
  store.close();
});

const begun = (name = "r1"): RunWriter => {
  const writer = store.runs.begin(name);
  writer.append(headerOf(name));
  return writer;
};
const kept = (name: string): readonly string[] => store.runs.keptTexts(name).records;

/** The store without a copy. */
function past<T>(work: (plain: Store) => T): T {
  const plain = openStore(folder);
  try {
    return work(plain);
  } finally {
    plain.close();
  }
}

test("a run that begins is copied from its header on, with its pieces and what it has shown", () => {
  const { hash, body } = pieceOf("x".repeat(600));
  const writer = begun();
  writer.blob(hash, body);
  appended(writer, [intent(0, { $blob: hash })]);
  appended(writer, [result(0)], false);
  writer.shown(2);
  appended(writer, [end], false);
  writer.close();
  const copy = mirror.runs.get("r1");
  expect(copy?.records).toEqual(kept("r1"));
  expect(copy?.header).toBe(store.runs.keptTexts("r1").header);
  expect(copy?.shown).toBe(2);
  expect(mirror.pieces.get(hash)).toBe(body);
  expect(mirror.told).toEqual(["r1 0+1 durable", "r1 1+1", "r1 2+0", "r1 2+1", "r1 3+0"]);
});

test("what an ordinary commit has written is waited for before an effect begins, although nothing is new", () => {
  const writer = begun();
  appended(writer, [intent(0)], false);
  writer.flush(true);
  expect(mirror.told).toEqual(["r1 0+1", "r1 1+0 durable"]);
  writer.flush(true);
  expect(mirror.told).toHaveLength(2);
  // More than are kept in memory: the last of them is the intent.
  for (let n = 1; n <= 2048; n++) writer.append(intent(n));
  writer.flush(true);
  expect(mirror.told.slice(2)).toEqual(["r1 1+2048", "r1 2049+0 durable"]);
  writer.close();
});

test("a run that goes on gives what the copy lacks: nothing, the end, or all of it with what it refers to", () => {
  const { hash, body } = pieceOf("y".repeat(600));
  past((plain) => {
    beginRun(plain, "r1");
    const writer = plain.runs.take("r1");
    writer.blob(hash, body);
    appended(writer, [intent(0, { $blob: hash }), result(0)]);
    writer.close();
  });
  const first = store.runs.take("r1");
  appended(first, [intent(1)]);
  expect(mirror.told).toEqual(["r1 0+4 durable"]);
  expect(mirror.runs.get("r1")?.records).toEqual(kept("r1"));
  expect(mirror.pieces.get(hash)).toBe(body);
  first.close();
  past((plain) => {
    const writer = plain.runs.take("r1");
    appended(writer, [result(1)]);
    writer.close();
  });
  const second = store.runs.take("r1");
  appended(second, [intent(2)]);
  expect(mirror.told.at(-1)).toBe("r1 4+2 durable");
  second.close();
  expect(mirror.runs.get("r1")?.records).toEqual(kept("r1"));
});

test("a copy that is longer belongs to somebody who has gone on with the run", () => {
  begun().close();
  mirror.runs.get("r1")?.records.push("of another");
  expect(() => store.runs.take("r1")).toThrow(/the copy of the run r1 is longer/);
  // It is free: nothing was taken.
  past((plain) => plain.runs.take("r1").close());
});

test("a fork takes its parent's pieces along", () => {
  const { hash, body } = pieceOf("z".repeat(600));
  past((plain) => {
    beginRun(plain, "r1");
    const writer = plain.runs.take("r1");
    writer.blob(hash, body);
    appended(writer, [intent(0, { $blob: hash })]);
    writer.close();
  });
  const fork = store.runs.begin("r2", { parent: "r1" });
  fork.append(headerOf("r2"));
  appended(fork, [intent(0, { $blob: hash })]);
  expect(mirror.runs.get("r2")?.parent).toBe("r1");
  expect(mirror.pieces.get(hash)).toBe(body);
  fork.close();
});

test("a writer that was taken over is stopped before its effect, and what it has is in its own store", () => {
  const writer = begun();
  appended(writer, [intent(0), result(0)]);
  mirror.fail = new StoreError("taken", "the job r1 was taken over by another worker; this one stops");
  writer.append(intent(1));
  let problem: unknown;
  try {
    writer.flush(true);
  } catch (error) {
    problem = error;
  }
  expect(problem).toBeInstanceOf(JournalProblem);
  expect((problem as JournalProblem).message).toMatch(/^the job r1 was taken over/);
  expect(kept("r1")).toHaveLength(3);
  expect(mirror.runs.get("r1")?.records).toHaveLength(2);
});

test("while the copy can't be written the run stops so that it can be resumed", () => {
  const writer = begun();
  writer.append(intent(0));
  mirror.fail = new StoreError("away", "the copy of the run: it does not answer");
  try {
    writer.flush(true);
    expect.unreachable();
  } catch (error) {
    const { kind, details } = error as JournalProblem;
    expect(kind).toBe("unwritable");
    expect(details.join()).toContain("harn run --resume r1");
  }
});

test("broken off while it is given, it is given once more", () => {
  const writer = begun();
  mirror.fail = { broken: "off" };
  writer.append(intent(0));
  expect(() => writer.flush(true)).toThrow();
  mirror.fail = undefined;
  // The effect is asked for anew: nothing is in memory, and it must be waited for all the same.
  writer.flush(true);
  expect(mirror.told).toEqual(["r1 0+1 durable", "r1 1+0 durable"]);
  appended(writer, [result(0)], false);
  expect(mirror.runs.get("r1")?.records).toEqual(kept("r1"));
  writer.close();
});

describe("in a transaction with other rows", () => {
  test("the copy has it after the commit, and nothing waits", () => {
    const writer = begun();
    store.withJournals(() => {
      appended(writer, [intent(0)]);
      expect(mirror.told).toEqual([]);
    });
    expect(mirror.told).toEqual(["r1 0+1"]);
    writer.flush(true);
    expect(mirror.told.at(-1)).toBe("r1 1+0 durable");
    writer.close();
  });

  test("what comes to nothing is not in the copy: all of it, or a part", () => {
    const [one, two] = [begun("r1"), begun("r2")];
    expect(() =>
      store.withJournals(() => {
        appended(one, [intent(0)]);
        throw new Error("no");
      }),
    ).toThrow("no");
    expect(mirror.told).toEqual([]);
    store.withJournals(() => {
      expect(() =>
        store.part(() => {
          appended(begun("r3"), [intent(0)]);
          throw new Error("not this");
        }),
      ).toThrow("not this");
      appended(two, [intent(0)]);
    });
    expect(mirror.told).toEqual(["r2 0+1"]);
  });

  test("one inside of another is no end of it", () => {
    const writer = begun();
    store.withJournals(() => {
      store.withJournals(() => {});
      appended(writer, [intent(0)]);
      expect(mirror.told).toEqual([]);
    });
    expect(mirror.told).toEqual(["r1 0+1"]);
    writer.close();
  });
});
