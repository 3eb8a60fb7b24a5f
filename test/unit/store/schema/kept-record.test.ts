/** Records of the commonest kinds are kept as lists of their values; what is read is the record that was written, byte for byte. */
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import type { JournalRecord } from "../../../../src/effects/index.ts";
import { crc32 } from "../../../../src/store/crc.ts";
import { openStore, storeFile } from "../../../../src/store/index.ts";
import { keptRecord, recordOfKept } from "../../../../src/store/schema/kept-record.ts";
import { storeVersion } from "../../../../src/store/schema.ts";
import { tempFolders } from "../../../support/temp-folder.ts";

const freshFolder = tempFolders("kept-record");
let folder: string;
beforeEach(() => {
  folder = freshFolder();
});

const ofNothing = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

const header = {
  t: "run",
  journal: "harn",
  format: 3,
  run: "s.1",
  runtime: "0.1.0",
  platform: {},
  argv: [],
  entry: "s:t/default/r.1",
  cwd: "",
  options: { plan: "p", trial: "s:t/default/r.1" },
  seed: "00",
} as const satisfies JournalRecord;

const effect = { c: "observe", k: "clock.now", h: "cd0ca4ba2c1c7c76", a: null } as const;

const short: readonly JournalRecord[] = [
  { t: "result", p: "1", n: 0, ...effect, v: 5 },
  { t: "result", p: "1", n: 0, ...effect, v: { list: [1, null] }, w: 3 },
  { t: "intent", p: "1.2", n: 4, ...effect },
  { t: "intent", p: "1.2", n: 4, ...effect, w: 0 },
  { t: "result", p: "1", n: 4, o: 7, v: [] },
  { t: "result", p: "1", n: 4, o: 7, v: "text", w: 1 },
  { t: "end", reason: "done", code: 0, w: 0, output: ofNothing },
  header,
];

const long: readonly JournalRecord[] = [
  { t: "result", p: "1", n: 0, ...effect, e: "wrong" },
  { t: "end", reason: "done", code: 0, w: 2, output: `${ofNothing.slice(0, -1)}0` },
  { t: "end", reason: "done", code: 0, notes: ["said"], w: 0, output: ofNothing },
  { ...header, cwd: "/work" },
  { t: "result", p: "1", n: 0, ...effect, v: undefined } as unknown as JournalRecord,
];

describe("a record in its column", () => {
  it.each(short)("is a list where its kind is common: $t", (record) => {
    const text = keptRecord(record);
    expect(text.startsWith("[")).toBe(true);
    expect(text.length).toBeLessThan(JSON.stringify(record).length);
    expect(JSON.stringify(recordOfKept(JSON.parse(text)))).toBe(JSON.stringify(record));
  });

  it.each(long)("is itself otherwise: $t", (record) => {
    const text = keptRecord(record);
    expect(text).toBe(JSON.stringify(record));
    expect(JSON.stringify(recordOfKept(JSON.parse(text)))).toBe(text);
  });

  it.each(["[]", "[99,1]", '["1",2]', "[0]", '[0,"1",0,"observe","k","h",null,5,6,7]'])(
    "%s is no record",
    (text) => {
      expect(recordOfKept(JSON.parse(text))).toEqual(JSON.parse(text));
    },
  );
});

describe("a run", () => {
  const records = [...short.slice(0, -1)];

  function write(): void {
    const store = openStore(folder);
    store.runs.add({ header, records, shown: 0, blob: () => undefined });
    store.close();
  }

  const read = (): unknown => {
    const store = openStore(folder);
    const { header: first, records: rest } = store.runs.read("s.1");
    const progress = store.runs.progressOf("s.1");
    store.close();
    return { first, rest, progress };
  };

  it("is read as it was written, and its intents and results are counted", () => {
    write();
    expect(read()).toEqual({ first: header, rest: records, progress: 6 });
  });

  it("that the version before has written, with every record an object, is read the same", () => {
    write();
    const { DatabaseSync } = process.getBuiltinModule("node:sqlite");
    const db = new DatabaseSync(join(folder, storeFile));
    let crc = crc32(JSON.stringify(header));
    db.prepare("UPDATE run SET header = ?").run(JSON.stringify(header));
    for (const [seq, record] of records.entries()) {
      const body = JSON.stringify(record);
      crc = crc32(body, crc);
      db.prepare("UPDATE record SET body = ?, crc = ? WHERE seq = ?").run(body, crc, seq);
    }
    db.exec(`ALTER TABLE run DROP COLUMN written; PRAGMA user_version = ${storeVersion - 2}`);
    db.close();
    expect(read()).toEqual({ first: header, rest: records, progress: 6 });
  });
});
