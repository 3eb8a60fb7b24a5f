/**
 * What made a syntax tree, for the key of the cache: runtime, and the sources of the parser. The bundler puts in a digest
 * of those sources; run from source, their sizes and times stand for it. So no build ever reads a tree of another shape.
 */
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { version } from "../host/command/index.ts";
import { checksum } from "./checksum.ts";

/** Replaced by the bundler (`scripts/build.ts`). */
declare const HARN_SYNTAX_DIGEST: string | undefined;

/** Replaced by the bundler with a digest of everything that a finding of the type checker may depend on. */
declare const HARN_CHECKER_DIGEST: string | undefined;

/** A word without blanks. */
export function astShape(): string {
  const digest = typeof HARN_SYNTAX_DIGEST === "string" ? HARN_SYNTAX_DIGEST : digestOfSources(syntaxFolders);
  return `${version}-${digest}`;
}

/** What made the judgement that a program has no finding: the checker, and the signatures of the builtins. */
export function checkerShape(): string {
  const digest =
    typeof HARN_CHECKER_DIGEST === "string" ? HARN_CHECKER_DIGEST : digestOfSources(checkerFolders);
  return `checked-${version}-${digest}`;
}

const syntaxFolders = ["../syntax", "../source"];
const checkerFolders = [
  ...syntaxFolders,
  "../diagnostics",
  "../resolve",
  "../table",
  "../types",
  "../builtins",
];

function digestOfSources(folders: readonly string[]): string {
  const facts = folders.flatMap((name) => {
    const folder = fileURLToPath(new URL(name, import.meta.url));
    return readdirSync(folder, { recursive: true, encoding: "utf8" }).map((file) => {
      const { size, mtimeMs } = statSync(join(folder, file));
      return `${file} ${size} ${mtimeMs}`;
    });
  });
  return checksum(Buffer.from(facts.sort().join("\n")));
}
