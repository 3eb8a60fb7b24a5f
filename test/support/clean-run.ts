/**
 * Before the suite, a temporary folder of its own for everything that it starts; after it, a look at what was left there
 * and in the project. What a test leaves behind fails a run of the suite, and is shown by a run of some files: the next
 * run would find it.
 */
import { chmodSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { projectRoot, sharedState } from "./project.ts";
import { isSmoke } from "./smoke.ts";

/** Written by tools, not by tests. `.ci` is the report of this run. */
const notOurs = new Set(["node_modules", "dist", ".git", ".ci", "coverage"]);
/** Kept by Node and vitest in the temporary folder. */
const ofTools = /^(?:node-compile-cache|vitest-|v8-compile-cache)/;

export function setup(): () => void {
  // Somebody who runs one file may well be writing another, and a file whose tests are all left out cleans nothing up.
  const whole = !process.argv.some((word) => /^(?:\.\/)?test\/|^(?:-t|--testNamePattern)\b/.test(word));
  const outer = process.env.TMPDIR;
  const temp = mkdtempSync(join(tmpdir(), "harn-suite-"));
  // PostgreSQL refuses to run as root: its test server is another user, who must get through.
  chmodSync(temp, 0o711);
  process.env.TMPDIR = temp;
  const before = new Set(projectFiles());
  return () => {
    if (outer === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = outer;
    const left = readdirSync(temp).filter((name) => {
      // A group of which no test was chosen has its folder, and nothing that removes it.
      const isUnused = isSmoke && below(join(temp, name), name).length === 0;
      return name !== sharedState && !ofTools.test(name) && !isUnused;
    });
    rmSync(temp, { recursive: true, force: true });
    const made = projectFiles().filter((path) => !before.has(path));
    const problem = leftOver(left, made);
    if (problem === undefined) return;
    if (whole) throw new Error(problem);
    console.warn(problem);
  };
}

/** What is said about names left in the temporary folder and files made in the project; undefined when there are none. */
export function leftOver(temporary: readonly string[], made: readonly string[]): string | undefined {
  const lines = [
    ...temporary.map((name) => `in the temporary folder: ${name}`),
    ...made.map((path) => `in the project: ${path}`),
  ];
  if (lines.length === 0) return undefined;
  const shown = lines.length > 40 ? [...lines.slice(0, 40), `and ${lines.length - 40} more`] : lines;
  return `The tests left files behind (test/README.md, "Leave nothing behind"):\n${shown.join("\n")}`;
}

function projectFiles(): string[] {
  return readdirSync(projectRoot).flatMap((name) =>
    notOurs.has(name) ? [] : below(join(projectRoot, name), name),
  );
}

function below(path: string, name: string): string[] {
  try {
    return readdirSync(path, { recursive: true, encoding: "utf8" })
      .filter((inner) => !inner.includes("node_modules"))
      .map((inner) => `${name}/${inner}`);
  } catch {
    return [name];
  }
}
