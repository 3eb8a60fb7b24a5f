/** Tests that a list names as those that show something: `FILE`, or `FILE › WORDS` where the words stand in the file. */
import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { projectRoot } from "./project.ts";

/** Something that was asked for, by its number or name in the list that asks for it, and the tests that show it. */
export type ShownRow<Id extends number | string = number> = readonly [
  id: Id,
  what: string,
  shownBy: readonly string[],
];

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

/** What is named and is not there, row by row; a row that names nothing is shown by nothing. */
export const unshown = (rows: readonly ShownRow<number | string>[]): readonly string[] =>
  rows.flatMap(([id, what, shownBy]) =>
    shownBy.length === 0
      ? [`${id}: nothing shows ${what}`]
      : missingTests(shownBy).map((one) => `${id}: ${one}`),
  );

/** 1 to `count`. */
export const numbersTo = (count: number): readonly number[] =>
  Array.from({ length: count }, (_, at) => at + 1);
