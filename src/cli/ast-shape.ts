/**
 * What made a syntax tree, for the key of the cache: runtime, and the sources of the parser. The bundler puts in a digest
 * of those sources; run from source, their sizes and times stand for it. So no build ever reads a tree of another shape.
 */
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { checksum } from "./checksum.ts";
import { version } from "./version.ts";

/** Replaced by the bundler (`scripts/build.ts`). */
declare const HARN_SYNTAX_DIGEST: string | undefined;

/** A word without blanks. */
export function astShape(): string {
  return `${version}-${typeof HARN_SYNTAX_DIGEST === "string" ? HARN_SYNTAX_DIGEST : digestOfSources()}`;
}

function digestOfSources(): string {
  const facts = ["../syntax", "../source"].flatMap((name) => {
    const folder = fileURLToPath(new URL(name, import.meta.url));
    return readdirSync(folder, { recursive: true, encoding: "utf8" }).map((file) => {
      const { size, mtimeMs } = statSync(join(folder, file));
      return `${file} ${size} ${mtimeMs}`;
    });
  });
  return checksum(Buffer.from(facts.sort().join("\n")));
}
