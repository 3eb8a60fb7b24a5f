/**
 * The folders of the golden programs, copied to where programs may write: what one of them leaves behind, also when it
 * fails, is gone with the copy.
 */
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { projectRoot } from "./project.ts";

export interface GoldenCopy {
  /** Where the copy of a file of the project is. */
  pathOf(original: string): string;
  /** The temporary folder for programs. */
  readonly temp: string;
  remove(): void;
}

/** Copies folders of the project; `test/support` is at the same distance from them as from the originals. */
export function copyOf(folder: string, wanted: (path: string) => boolean = () => true): GoldenCopy {
  const root = mkdtempSync(join(tmpdir(), "harn-goldens-"));
  cpSync(folder, join(root, relative(projectRoot, folder)), {
    recursive: true,
    filter: (path) => !/[/\\]\.harn(?:-runs)?$/.test(path) && wanted(path),
  });
  symlinkSync(join(projectRoot, "test/support"), join(root, "test/support"));
  const temp = join(root, "temp");
  mkdirSync(temp);
  return {
    pathOf: (original) => join(root, relative(projectRoot, original)),
    temp,
    remove: () => rmSync(root, { recursive: true, force: true }),
  };
}
