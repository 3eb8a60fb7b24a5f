/** What changed in a workspace, whoever wrote it. */
import { appendFileSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { WorkspaceChanges, workspaceBounds } from "../../../src/server/local/workspace-changes.ts";
import { tempFolders } from "../../support/temp-folder.ts";

const freshFolder = tempFolders("workspace-changes");

const watched = (bounds = workspaceBounds) => {
  const folder = freshFolder();
  const warnings: string[] = [];
  const changes = new WorkspaceChanges(folder, (text) => warnings.push(text), bounds);
  return { folder, warnings, changes, at: (path: string) => join(folder, path) };
};

it("tells what was made, appended to and removed, with the text before the first change and after each", () => {
  const { at, changes } = watched();
  mkdirSync(at("a"));
  writeFileSync(at("a/one.txt"), "one\n");
  writeFileSync(at("gone.txt"), "gone");
  changes.begin();
  expect(changes.look()).toEqual([]);
  appendFileSync(at("a/one.txt"), "two\n");
  writeFileSync(at("new.txt"), "");
  rmSync(at("gone.txt"));
  const [created, first, removed] = changes.look();
  expect(first).toMatchObject({ path: "a/one.txt", change: "written", bytes: 8 });
  expect(first).toMatchObject({ before_text: "one\n", after_text: "one\ntwo\n" });
  expect(first?.before).toMatch(/^[0-9a-f]{64}$/);
  expect(created).toMatchObject({ path: "new.txt", change: "created", before: null, after_text: "" });
  expect(removed).toMatchObject({ path: "gone.txt", change: "removed", after: null, before_text: "gone" });
  appendFileSync(at("a/one.txt"), "three\n");
  const [again] = changes.look();
  expect(again).toMatchObject({ before: first?.after, after_text: "one\ntwo\nthree\n" });
  expect(again).not.toHaveProperty("before_text");
});

it("a file that was written with the same bytes has not changed", () => {
  const { at, changes } = watched();
  writeFileSync(at("same.txt"), "same");
  changes.begin();
  rmSync(at("same.txt"));
  writeFileSync(at("same.txt"), "same");
  expect(changes.look()).toEqual([]);
});

it("no text is kept of what is none or too large; what is hidden, linked or fetched again is passed over", () => {
  const { at, changes } = watched({ files: 10, fileBytes: 10, keptBytes: 12 });
  changes.begin();
  writeFileSync(at("1.bin"), Uint8Array.of(0xff, 0));
  writeFileSync(at("2.txt"), "x".repeat(11));
  writeFileSync(at("3.txt"), "y".repeat(9));
  writeFileSync(at("4.txt"), "z".repeat(9));
  writeFileSync(at("__proto__"), "p");
  writeFileSync(at(".env"), "SECRET=1");
  for (const folder of [".git", "node_modules", ".harn"]) {
    mkdirSync(at(folder));
    writeFileSync(at(`${folder}/file`), "1");
  }
  symlinkSync("/etc/passwd", at("link"));
  const texts = changes.look().map(({ path, after, after_text }) => [path, after !== null, after_text]);
  expect(texts).toEqual([
    ["1.bin", true, null],
    ["2.txt", false, null],
    ["3.txt", true, "y".repeat(9)],
    ["4.txt", true, null],
    ["__proto__", true, "p"],
  ]);
  appendFileSync(at("2.txt"), "x");
  expect(changes.look()).toMatchObject([{ path: "2.txt", change: "written", bytes: 12, after: null }]);
});

it("says once that a workspace is larger than what is looked at", () => {
  const { at, changes, warnings } = watched({ ...workspaceBounds, files: 2 });
  for (const name of ["a", "b", "c"]) writeFileSync(at(name), name);
  changes.begin();
  writeFileSync(at("a"), "new");
  writeFileSync(at("c"), "new");
  expect(changes.look().map(({ path }) => path)).toEqual(["a"]);
  expect(warnings).toEqual(["changes of files are shown of the first 2 of the workspace: it has more"]);
});
