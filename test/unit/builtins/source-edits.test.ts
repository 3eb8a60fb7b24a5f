/** `replace_files`: a write that fails takes those before it back, and a resumed run judges by the hashes. */
import { expect, test } from "vitest";
import {
  replacedEvidence,
  replaceFiles,
  textHash,
} from "../../../src/builtins/files/source-edits/replace-files.ts";
import { Dict, List, type ScriptError } from "../../../src/values/index.ts";
import { liveEffects, testRun } from "../../support/concurrent.ts";
import { createMemoryHost } from "../../support/memory-host.ts";

function prepared() {
  const host = createMemoryHost();
  const { task } = testRun(liveEffects(), host);
  const { files } = task.runtime.host;
  const path = (name: string) => `${task.runtime.host.cwd}/${name}`;
  for (const name of ["a", "b"]) files.write(path(name), `old ${name}`);
  const change = (name: string) =>
    Dict.of({ path: name, before_hash: textHash(task, `old ${name}`), text: `new ${name}` });
  return { task, files, path, changes: new List([change("a"), change("b")]) };
}

test("all get their new texts", () => {
  const { task, files, path, changes } = prepared();
  replaceFiles(task, changes);
  expect([files.readText(path("a")), files.readText(path("b"))]).toEqual(["new a", "new b"]);
});

test("a write that fails leaves no file changed", () => {
  const { task, files, path, changes } = prepared();
  const write = files.write.bind(files);
  files.write = (at, data) => {
    if (at.endsWith("/b")) files.readText("/nowhere/at/all");
    write(at, data);
  };
  let said = "";
  try {
    replaceFiles(task, changes);
  } catch (error) {
    said = String((error as ScriptError).value);
  }
  expect(said).toMatch(/Failed to write file .*\/b.*; no file is changed/);
  expect([files.readText(path("a")), files.readText(path("b"))]).toEqual(["old a", "old b"]);
});

test("a resumed run finds out what happened", () => {
  const { task, files, path, changes } = prepared();
  const judged = () => replacedEvidence.after(replacedEvidence.before(task, changes), task, changes);
  expect(judged()).toBe("undone");
  files.write(path("a"), "new a");
  expect(judged()).toBe("unknown");
  files.write(path("b"), "new b");
  expect(judged()).toBe("done");
  files.write(path("b"), "a person's");
  expect(judged()).toBe("unknown");
});
