/** Runs of which each stretch was written on another machine: read here as if all of it had happened here. */
import { describe, expect, test } from "vitest";
import { fingerprintOf, type JournalRecord, type RunHeader } from "../../../../src/effects/index.ts";
import { nodeDigest } from "../../../../src/host/index.ts";
import {
  carriedJournal,
  movedHere,
  movedRun,
  rootsOfRuns,
  rootsWith,
  type WrittenRun,
} from "../../../../src/store/copies/index.ts";
import type { SnapshotRoots } from "../../../../src/store/index.ts";
import { keptRecord } from "../../../../src/store/schema/kept-record.ts";
import { Inward, Outward } from "../../../../src/store/snapshot.ts";
import { end, headerOf, pieceOf } from "../../../support/cluster-journals.ts";

const ann: SnapshotRoots = { project: "/home/ann/app", std: "/usr/lib/std" };
const bob: SnapshotRoots = { project: "/srv/w1", std: "/opt/harn/std" };
const cat: SnapshotRoots = { project: "/data/jobs/app", std: "/data/std" };

const write = (n: number, path: string): JournalRecord => {
  const a = [path];
  return {
    t: "intent",
    p: "0",
    n,
    c: "write",
    k: "file.append",
    h: fingerprintOf("write", "file.append", a, nodeDigest),
    a,
  };
};
const gave = (n: number, v: string): JournalRecord => ({ t: "result", p: "0", n, v });
const header: RunHeader = headerOf("r1", ann.project, { argv: [`${ann.project}/in.txt`, "/etc/hosts"] });

const written = (
  stretches: readonly (readonly [SnapshotRoots, readonly JournalRecord[]])[],
  more: Partial<WrittenRun> = {},
): WrittenRun => ({
  run: "r1",
  header: { text: keptRecord(header), roots: ann },
  records: stretches.flatMap(([roots, records]) =>
    records.map((record) => ({ text: keptRecord(record), roots })),
  ),
  pieces: new Map(),
  parent: undefined,
  shown: 0,
  ...more,
});

const ofThree = written([
  [
    ann,
    [
      { t: "source", name: `${ann.project}/a.harn`, hash: "h" },
      write(0, `${ann.project}/log`),
      gave(0, `${ann.std}/x`),
    ],
  ],
  [bob, [write(1, `${bob.project}/log`), gave(1, "/srv/w10/other")]],
  [cat, [write(2, `${cat.project}/log`), gave(2, "ok"), end]],
]);

const plain = (records: readonly JournalRecord[]): unknown[] =>
  records.map((record) =>
    "a" in record ? record.a : "v" in record ? record.v : "name" in record ? record.name : record.t,
  );

test.each([
  ["who began it", ann],
  ["who went on", bob],
  ["who ended it", cat],
  ["somebody else", { project: "/x", std: "/y" }],
])("all of it lies where the folders are: %s", (_who, here) => {
  const { journal, isEnded } = movedHere(ofThree, here);
  expect(plain(journal.records)).toEqual([
    `${here.project}/a.harn`,
    [`${here.project}/log`],
    `${here.std}/x`,
    [`${here.project}/log`],
    // A longer name is another folder.
    "/srv/w10/other",
    [`${here.project}/log`],
    "ok",
    "end",
  ]);
  expect(journal.header).toMatchObject({
    entry: `${here.project}/a.harn`,
    cwd: here.project,
    argv: [`${here.project}/in.txt`, "/etc/hosts"],
  });
  expect(isEnded).toBe(true);
  // What a program asks for here is what was asked.
  for (const record of journal.records) {
    if (record.t !== "intent") continue;
    expect(record.h).toBe(fingerprintOf("write", "file.append", [`${here.project}/log`], nodeDigest));
  }
});

test("what a machine wrote itself stays as it wrote it, whoever went on", () => {
  const back = movedHere(ofThree, ann).journal;
  expect(back.records.slice(0, 3).map(keptRecord)).toEqual(
    ofThree.records.slice(0, 3).map(({ text }) => text),
  );
  expect(keptRecord(back.header)).toBe(ofThree.header.text);
  const onBob = movedHere(ofThree, bob).journal;
  expect(onBob.records.slice(3, 5).map(keptRecord)).toEqual(
    ofThree.records.slice(3, 5).map(({ text }) => text),
  );
  // The second time it is moved to the same.
  expect(movedHere(ofThree, bob).journal.records).toEqual(onBob.records);
});

test("pieces are taken apart and laid out anew, for each machine from what it wrote", () => {
  const long = (folder: string): string => `${folder}/${"x".repeat(600)}`;
  const [ofAnn, ofBob] = [pieceOf(long(ann.project ?? "")), pieceOf(long(bob.project ?? ""))];
  const run = written(
    [
      [ann, [gave(0, { $blob: ofAnn.hash } as never)]],
      [bob, [gave(1, { $blob: ofBob.hash } as never)]],
    ],
    { pieces: new Map([ofAnn, ofBob].map(({ hash, body }) => [hash, body])) },
  );
  const here = movedHere(run, ann);
  expect(plain(here.journal.records)).toEqual([{ $blob: ofAnn.hash }, { $blob: ofAnn.hash }]);
  const there = movedHere(run, cat);
  const moved = pieceOf(long(cat.project ?? ""));
  expect(plain(there.journal.records)).toEqual([{ $blob: moved.hash }, { $blob: moved.hash }]);
  expect(there.pieces.get(moved.hash)).toBe(moved.body);
  expect(there.journal.blob?.(moved.hash)).toBe(long(cat.project ?? ""));
});

test("folders may move alone: scripts, arguments, results and pieces go with them, all others stay", () => {
  const piece = pieceOf(`${ann.project}/${"x".repeat(600)}`);
  const carried = carriedJournal({
    header,
    records: [
      { t: "blob", hash: piece.hash, v: JSON.parse(piece.body) },
      { t: "source", name: `${ann.project}/a.harn`, hash: "h" },
      { t: "module", from: `${ann.project}/a.harn`, specifier: "b", name: "/t.harn" },
      write(0, `${ann.project}/log`),
      gave(0, { $blob: piece.hash } as never),
      gave(1, "/home/ann/apple"),
    ],
  });
  const { journal, pieces } = movedRun(carried, [["/home/ann/app", "/srv/w1"]]);
  const moved = pieceOf(`/srv/w1/${"x".repeat(600)}`);
  expect(plain(journal.records)).toEqual([
    "/srv/w1/a.harn",
    "/t.harn",
    ["/srv/w1/log"],
    { $blob: moved.hash },
    "/home/ann/apple",
  ]);
  expect(journal.records[1]).toMatchObject({ from: "/srv/w1/a.harn" });
  expect(journal.header).toMatchObject({ entry: "/srv/w1/a.harn", cwd: "/srv/w1" });
  expect(pieces.get(moved.hash)).toBe(moved.body);
  expect(movedRun(carried, []).journal.records).toEqual(carried.journal.records);
});

test("keys that objects have by themselves, and texts without a meaning, are moved as all others", () => {
  const value = JSON.parse(`{"__proto__": {"a": "${bob.project}/x"}, "constructor": "\\u0000\\ud800"}`);
  const run = written([[bob, [gave(0, value)]]]);
  const [record] = movedHere(run, ann).journal.records;
  expect(JSON.stringify((record as { v?: unknown }).v)).toBe(
    `{"__proto__":{"a":"${ann.project}/x"},"constructor":"\\u0000\\ud800"}`,
  );
});

describe("folders outside of the project", () => {
  const outside = headerOf("r1", "/tmp/scripts");
  const begun = written(
    [[ann, [{ t: "source", name: "/tmp/scripts/a.harn", hash: "h" }, write(0, "/tmp/scripts/log")]]],
    {
      header: { text: keptRecord(outside), roots: ann },
    },
  );

  test("lie with what was imported, under one name everywhere, and where they were for who has them", () => {
    const sent = rootsOfRuns([movedHere(begun, ann)], ann);
    const [name = ""] = Object.keys(sent).filter((key) => key.startsWith("folder-"));
    expect(sent[name]).toBe("/tmp/scripts");
    const run = {
      ...begun,
      header: { ...begun.header, roots: sent },
      records: begun.records.map((one) => ({ ...one, roots: sent })),
    };
    const onBob = rootsWith(bob, [sent]);
    expect(onBob[name]).toBe(`${bob.project}/.harn/imported/${name}`);
    const there = movedHere(run, onBob).journal;
    expect(there.header.entry).toBe(`${onBob[name]}/a.harn`);
    expect(plain(there.records)).toEqual([`${onBob[name]}/a.harn`, [`${onBob[name]}/log`]]);
    // What is done there comes back as what it is here.
    const gone = {
      ...run,
      records: [...run.records, { text: keptRecord(write(1, `${onBob[name]}/log`)), roots: onBob }],
    };
    const back = movedHere(gone, rootsWith(ann, [sent, onBob])).journal;
    expect(plain(back.records).at(-1)).toEqual(["/tmp/scripts/log"]);
    expect(keptRecord(back.header)).toBe(begun.header.text);
  });

  test("may be the topmost one", () => {
    const top = {
      ...begun,
      header: { text: keptRecord({ ...outside, entry: "/a.harn", cwd: "/" }), roots: ann },
    };
    const { entry, cwd } = movedHere(top, { project: "/x", std: "/y" }).journal.header;
    expect(entry).toMatch(/^\/x\/\.harn\/imported\/folder-[0-9a-f]{8}\/a\.harn$/);
    const back = movedHere(top, ann).journal.header;
    expect([back.entry, back.cwd, cwd]).toEqual(["/a.harn", "/", expect.any(String)]);
    expect(new Inward("t", { project: "/" }).path("{project}/a/b")).toBe("/a/b");
    expect(new Outward({ project: "/" }).path("/a/b")).toBe("{project}/a/b");
  });

  test("that nobody has named lie with what was imported, too", () => {
    const { journal } = movedHere(begun, { project: "/x", std: "/y" });
    expect(journal.header.entry).toMatch(/^\/x\/\.harn\/imported\/folder-[0-9a-f]{8}\/a\.harn$/);
  });
});

describe("what can't be read", () => {
  const unreadable = expect.objectContaining({ kind: "unreadable" });
  test("is told, with the record", () => {
    const [first] = ofThree.records;
    const broken = { ...ofThree, records: [first, { text: '{"t":"nothing"}', roots: ann }] as never };
    expect(() => movedHere(broken, ann)).toThrow(
      expect.objectContaining({ message: expect.stringContaining("record 1") }),
    );
    expect(() => movedHere({ ...ofThree, header: { text: "no", roots: ann } }, ann)).toThrow(unreadable);
    expect(() => movedHere({ ...ofThree, run: "r2" }, ann)).toThrow(unreadable);
  });
  test("is a path that leads out of its folder", () => {
    const text = keptRecord({ t: "source", name: `${ann.project}/../../etc/passwd`, hash: "h" });
    expect(() => movedHere({ ...ofThree, records: [{ text, roots: ann }] }, bob)).toThrow(unreadable);
  });
  test("is what a later version wrote: that is not damaged", () => {
    const newer = expect.objectContaining({ fault: "newer" });
    const text = JSON.stringify({ ...header, format: 99 });
    expect(() => movedHere({ ...ofThree, header: { text, roots: ann } }, bob)).toThrow(newer);
    for (const unknown of ['{"t":"nothing"}', "[99,1]"])
      expect(() => movedHere({ ...ofThree, records: [{ text: unknown, roots: ann }] }, bob)).toThrow(newer);
    expect(() => movedHere({ ...ofThree, records: [{ text: "{", roots: ann }] }, bob)).toThrow(unreadable);
  });
});
