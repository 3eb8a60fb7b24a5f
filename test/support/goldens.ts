/** The golden programs: `x.harn` with `x.expected` (standard output) or `x.error` (text contained in the error). */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { projectRoot } from "./run-cli.ts";

export interface Golden {
  /** `concurrency/select` */
  readonly name: string;
  readonly text: string;
  /** Standard output, exactly. */
  readonly expected: string | undefined;
  /** Contained in the error. */
  readonly error: string | undefined;
}

/** All golden programs of one area, or of all. */
export function goldens(area?: string): Golden[] {
  const root = join(projectRoot, "test/golden");
  const found = readdirSync(root, { recursive: true, encoding: "utf8" }).filter((file) =>
    /[^\\/]\.harn$/.test(file),
  );
  return found
    .map((file) => file.slice(0, -".harn".length).replaceAll("\\", "/"))
    .filter((name) => area === undefined || name.startsWith(`${area}/`))
    .sort()
    .map((name) => ({
      name,
      text: readFileSync(join(root, `${name}.harn`), "utf8"),
      expected: read(join(root, `${name}.expected`)),
      error: read(join(root, `${name}.error`)),
    }));
}

const read = (file: string): string | undefined =>
  existsSync(file) ? readFileSync(file, "utf8") : undefined;
