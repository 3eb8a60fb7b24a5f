/** Tests that a list names as those that show something: `FILE`, or `FILE › WORDS` where the words stand in the file. */
import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { projectRoot } from "./project.ts";

function isThere(named: string): boolean {
  const [file = "", words] = named.split(" › ");
  const path = join(projectRoot, file);
  if (!existsSync(path) || statSync(path).isDirectory()) return false;
  // A golden shows nothing without what it is compared with.
  if (file.startsWith("test/golden/") && file.endsWith(".harn"))
    return ["expected", "error"].some((end) => existsSync(path.replace(/harn$/, end)));
  return words === undefined || readFileSync(path, "utf8").includes(words);
}

/** Those that there are not. */
export const missingTests = (named: readonly string[]): readonly string[] =>
  named.filter((one) => !isThere(one));
