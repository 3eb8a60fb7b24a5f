/** Waiting for files to change: with the system's watcher, and by looking alone. */
import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { changedPaths, createNodeHost, type Host, lookAt, untilChanged } from "../../../src/host/index.ts";
import { tempFolders } from "../../support/temp-folder.ts";

const freshFolder = tempFolders("watch");

let folder: string;
const never = new AbortController().signal;

beforeEach(() => {
  folder = freshFolder();
});

const at = (...parts: string[]): string => join(folder, ...parts);

const watching = createNodeHost();
/** A machine that has run out of watches. */
const looking: Pick<Host, "files" | "clock" | "watch"> = {
  files: watching.files,
  clock: watching.clock,
  watch: () => undefined,
};

describe.each([
  ["with a watcher", watching],
  ["by looking", looking],
])("%s", (_name, host) => {
  it.each([
    ["written", () => writeFileSync(at("a"), "longer"), ["a"]],
    [
      "saved by putting another in its place",
      () => {
        writeFileSync(at("a.tmp"), "other");
        renameSync(at("a.tmp"), at("a"));
      },
      ["a"],
    ],
    ["removed", () => rmSync(at("a")), ["a"]],
    ["made deep below", () => writeFileSync(at("deep/er/new"), ""), ["deep/er/new"]],
  ])("a file is %s", async (_what, change, expected) => {
    writeFileSync(at("a"), "one");
    mkdirSync(at("deep/er"), { recursive: true });
    const before = lookAt(host.files, [folder]);
    const waited = untilChanged(host, [folder], before, never);
    setTimeout(change, 30);
    expect(changedPaths(before, await waited)).toEqual(expected.map((name) => at(name)));
  });

  it("a file that is not there yet", async () => {
    const before = lookAt(host.files, [at("later")]);
    expect(before.size).toBe(0);
    const waited = untilChanged(host, [at("later")], before, never);
    setTimeout(() => writeFileSync(at("later"), ""), 30);
    expect(changedPaths(before, await waited)).toEqual([at("later")]);
  });

  it("what changed before is seen at once", async () => {
    writeFileSync(at("a"), "");
    expect(changedPaths(new Map(), await untilChanged(host, [at("a")], new Map(), never))).toEqual([at("a")]);
  });

  it("ends with the signal", async () => {
    const stop = new AbortController();
    const waited = untilChanged(host, [folder], lookAt(host.files, [folder]), stop.signal);
    stop.abort(new Error("over"));
    await expect(waited).rejects.toThrow("over");
  });
});

it("folders of others and links are left out", () => {
  for (const name of [".git", ".harn", "node_modules", "src"]) {
    mkdirSync(at(name));
    writeFileSync(at(name, "file"), "");
  }
  symlinkSync(folder, at("round"));
  expect([...lookAt(watching.files, [folder]).keys()]).toEqual([at("src/file")]);
});
