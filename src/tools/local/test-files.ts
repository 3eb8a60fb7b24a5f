/** Which files `harn test` looks at: those named, and below folders every script that may hold a test. */
import { existsSync, readdirSync, readFileSync, realpathSync, statSync } from "node:fs";
import { join } from "node:path";
import { UsageError } from "../../host/command/index.ts";

/** Never searched: other people's code, and what tools write. */
const skipped = new Set(["node_modules", ".git", ".harn", ".harn-fixtures"]);

/** Canonical paths, each once, in order of path within each argument. */
export function testFiles(paths: readonly string[], mentionsTests: (text: string) => boolean): string[] {
  const found = new Set<string>();
  for (const path of paths) {
    const info = statSync(path, { throwIfNoEntry: false });
    if (info === undefined)
      throw new UsageError(`Error reading ${path}: no such file or folder`, "HARN-CLI-006");
    if (!info.isDirectory()) found.add(realpathSync(path));
    else
      for (const file of testFilesBelow(path))
        if (mayHoldTests(file, mentionsTests)) found.add(realpathSync(file));
  }
  return [...found];
}

/** Scripts below a folder, sorted; links to folders are not followed, so loops end. */
function testFilesBelow(folder: string): string[] {
  const entries = readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
  return entries.flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return skipped.has(entry.name) ? [] : testFilesBelow(path);
    return entry.name.endsWith(".harn") && (entry.isFile() || isFileLink(path)) ? [path] : [];
  });
}

const isFileLink = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isFile() === true;

function mayHoldTests(file: string, mentionsTests: (text: string) => boolean): boolean {
  const base = file.slice(0, -".harn".length);
  if (existsSync(`${base}.expected`) || existsSync(`${base}.error`)) return true;
  try {
    return mentionsTests(readFileSync(file, "utf8"));
  } catch {
    // Unreadable: the run of this file says so.
    return true;
  }
}
