/** The programs that the project has. A run's state folder, `.harn`, is none of them. */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { projectRoot } from "./project.ts";

/** Paths of all scripts below a folder of the project, sorted. */
export function programsBelow(folder: string): string[] {
  const root = join(projectRoot, folder);
  return readdirSync(root, { recursive: true, encoding: "utf8" })
    .filter((name) => /[^/\\]\.harn$/.test(name))
    .sort()
    .map((name) => join(root, name));
}
