/** Which files `check`, `fmt` and `lint` mean when they are given a folder. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { UsageError } from "../../../../src/host/command/usage-error.ts";
import { scriptFiles } from "../../../../src/program/read-program.ts";
import { tempFolders } from "../../../support/temp-folder.ts";

const freshFolder = tempFolders("files");

let folder: string;
beforeEach(() => {
  folder = freshFolder();
});

test("all scripts below it, sorted, but no state folders and no packages", () => {
  for (const name of ["sub/.harn/cells", "node_modules/p", ".harn", "sub/deep"]) {
    mkdirSync(join(folder, name), { recursive: true });
    writeFileSync(join(folder, name, "inside.harn"), "");
  }
  writeFileSync(join(folder, "b.harn"), "");
  writeFileSync(join(folder, "a.harn"), "");
  writeFileSync(join(folder, "notes.txt"), "");
  expect(scriptFiles([folder])).toEqual(
    ["a.harn", "b.harn", "sub/deep/inside.harn"].map((name) => join(folder, name)),
  );
});

test("a folder that holds only a run's state holds no script", () => {
  mkdirSync(join(folder, ".harn"));
  expect(() => scriptFiles([folder])).toThrow(UsageError);
});
