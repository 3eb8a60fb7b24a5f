/** The golden programs: `x.harn` with `x.expected` (standard output) or `x.error` (a text that the error contains). */
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { projectRoot } from "./project.ts";

export const goldenRoot = join(projectRoot, "test/golden");

export interface GoldenCase {
  /** Path of the program below its root folder, without `.harn`. */
  readonly name: string;
  readonly program: string;
  readonly kind: "expected" | "error" | "none";
  /** What stands in the file beside the program; "" without one. */
  readonly expectation: string;
}

/** All cases below a folder. A program without an expectation is one only when no sibling imports it (`_name.harn`). */
export function goldenCases(folder: string): GoldenCase[] {
  return (
    readdirSync(folder, { recursive: true, encoding: "utf8" })
      // `.harn` is the state folder that a program may have left.
      .filter((name) => name.endsWith(".harn") && /^[^_.]/.test(basename(name)))
      .sort()
      .map((name) => {
        const program = join(folder, name);
        const base = program.slice(0, -".harn".length);
        const kind = existsSync(`${base}.error`)
          ? "error"
          : existsSync(`${base}.expected`)
            ? "expected"
            : "none";
        const expectation = kind === "none" ? "" : readFileSync(`${base}.${kind}`, "utf8");
        return { name: name.slice(0, -".harn".length), program, kind, expectation };
      })
  );
}

/** The folders with golden cases. */
export function goldenAreas(): string[] {
  return readdirSync(goldenRoot).filter(
    (name) =>
      statSync(join(goldenRoot, name)).isDirectory() && goldenCases(join(goldenRoot, name)).length > 0,
  );
}
