/** Writes a file as a whole or not at all. */
import { isUtf8 } from "node:buffer";
import { readFileSync, realpathSync, statSync } from "node:fs";
import { UsageError } from "../../host/command/index.ts";
import { ownPath } from "../../process/index.ts";
import { replaceContent } from "../../store/files/whole-files.ts";

/**
 * Puts a new text in a file's place: written beside it, then renamed over it, so that nobody ever sees half a file.
 * Permissions stay, and so does a link to the file. `before` is the text that the new one was made from: a file that was
 * changed meanwhile, or whose bytes are no text, is left alone.
 */
export function replaceFile(path: string, before: string, text: string): void {
  const real = realpathSync(ownPath(path));
  const bytes = readFileSync(real);
  if (!isUtf8(bytes)) throw new UsageError(`${path} is not UTF-8; it is left as it was`, "HARN-CLI-006");
  if (bytes.toString("utf8").replace(/^\uFEFF/, "") !== before)
    throw new UsageError(
      `${path} was changed by somebody else meanwhile; it is left as it is`,
      "HARN-CLI-008",
    );
  try {
    replaceContent(real, text, statSync(real).mode & 0o7777);
  } catch (error) {
    throw new UsageError(
      `Error writing ${path}: ${(error as NodeJS.ErrnoException).code ?? error}`,
      "HARN-CLI-007",
    );
  }
}
