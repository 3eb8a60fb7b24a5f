/** Watching files: by the operating system and by looking. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { FileChanges, touched } from "../../../../src/tools/local/test-watch.ts";
import { tempFolders } from "../../../support/temp-folder.ts";

const freshFolder = tempFolders("changes-coverage");

let folder = "";
let changes: FileChanges | undefined;
afterEach(() => {
  changes?.close();
});

function start(poll: boolean): (name: string) => string {
  folder = freshFolder();
  mkdirSync(join(folder, "deep"));
  mkdirSync(join(folder, "node_modules"));
  writeFileSync(join(folder, "deep/a.harn"), "1");
  changes = new FileChanges([folder], { poll });
  return (name) => join(folder, name);
}

for (const poll of [false, true]) {
  describe(poll ? "looking at the folders" : "asking the operating system", () => {
    it("gathers changes, and leaves out what tools write", async () => {
      const at = start(poll);
      writeFileSync(at("node_modules/x.js"), "2");
      writeFileSync(at("deep/a.harn"), "22");
      writeFileSync(at("b.harn"), "3");
      expect([...(await changes!.next())].sort()).toEqual([at("b.harn"), at("deep/a.harn")]);
    });

    it("sees files in new folders", async () => {
      const at = start(poll);
      mkdirSync(at("new/inner"), { recursive: true });
      writeFileSync(at("new/inner/c.harn"), "1");
      expect(await changes!.next()).toContain(at("new/inner/c.harn"));
    });

    it("forgets what does not matter", async () => {
      const at = start(poll);
      writeFileSync(at("made-by-a-test.txt"), "1");
      writeFileSync(at("deep/a.harn"), "333");
      await changes!.forget((path) => path.endsWith(".txt"));
      expect(await changes!.next()).toEqual([at("deep/a.harn")]);
    });
  });
}

describe("which tests a change touches", () => {
  const inputs = new Map([
    ["/p/a.harn", ["/p/a.harn", "/p/lib.harn"]],
    ["/p/sub/b.harn", ["/p/sub/b.harn"]],
  ]);
  const files = ["/p/a.harn", "/p/sub/b.harn", "/p/new.harn"];

  it("is known for sources, guessed by folder for data, and always the new ones", () => {
    expect(touched(["/p/lib.harn"], files, inputs)).toEqual(["/p/a.harn", "/p/new.harn"]);
    expect(touched(["/p/sub/data.json"], files.slice(0, 2), inputs)).toEqual(["/p/a.harn", "/p/sub/b.harn"]);
    expect(touched(["/p/data.json"], files.slice(0, 2), inputs)).toEqual(["/p/a.harn"]);
    expect(touched(["/elsewhere"], files.slice(0, 2), inputs)).toEqual([]);
  });
});
