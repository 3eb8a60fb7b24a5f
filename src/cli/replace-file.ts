/** Writes a file as a whole or not at all. */
import { chmodSync, realpathSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { UsageError } from "./usage-error.ts";

/**
 * Puts a new text in a file's place: written beside it, then renamed over it, so that nobody ever sees half a file.
 * Permissions stay, and so does a link to the file.
 */
export function replaceFile(path: string, text: string): void {
  const real = realpathSync(path);
  const beside = join(dirname(real), `.${basename(real)}.${process.pid}.tmp`);
  try {
    writeFileSync(beside, text, { flag: "wx" });
    chmodSync(beside, statSync(real).mode);
    renameSync(beside, real);
  } catch (error) {
    rmSync(beside, { force: true });
    throw new UsageError(`Error writing ${path}: ${(error as NodeJS.ErrnoException).code ?? error}`, 1);
  }
}
