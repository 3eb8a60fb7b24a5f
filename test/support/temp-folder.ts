/** A temporary folder that is gone when the tests of its file have run, also when they failed. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, TestRunner } from "vitest";

/** Made at once, with its real path. To be called at the top of a test file or of a `describe`. */
export function tempFolder(label = "test"): string {
  // There `afterAll` is taken and never run.
  if (TestRunner.getCurrentTest() !== undefined)
    throw new Error(
      "tempFolder is called at the top of a file or a describe; tempFolders gives folders to tests",
    );
  const folder = realpathSync(mkdtempSync(join(tmpdir(), `harn-${label}-`)));
  afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  return folder;
}

/** Gives a fresh folder with each call, all of them below one temporary folder: for `beforeEach`. */
export function tempFolders(label = "test"): () => string {
  const root = tempFolder(label);
  let made = 0;
  return () => {
    made += 1;
    const folder = join(root, String(made));
    mkdirSync(folder);
    return folder;
  };
}
