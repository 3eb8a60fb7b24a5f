import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { appendLine } from "../../../../src/store/files/whole-files.ts";
import { tempFolder } from "../../../support/temp-folder.ts";

const folder = tempFolder("lines");

describe("a file of lines", () => {
  it.each([
    ["that is not there is made", undefined, "new\n"],
    ["that is empty gets its first line", "", "new\n"],
    ["gets one more", "old\n", "old\nnew\n"],
    ["whose last line is open has it ended first", "old", "old\nnew\n"],
  ])("%s", (name, before, after) => {
    const path = join(folder, `${name}.jsonl`);
    if (before !== undefined) writeFileSync(path, before);
    appendLine(path, "new");
    expect(readFileSync(path, "utf8")).toBe(after);
  });
});
