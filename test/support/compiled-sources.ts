/**
 * For a file of `test/` that a test starts as a process of its own and that runs the sources: Node strips and compiles hundreds of
 * modules for it. Whoever starts it gives it `keepCompiled()` in its environment, and it calls `compiled()` when the sources are
 * loaded: what the first one compiled is kept in the suite's temporary folder, and the next one only reads it.
 */
import { flushCompileCache } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Variables for a process that runs the sources. The folder is one that `clean-run.ts` knows as Node's. */
export const keepCompiled = (): Readonly<Record<string, string>> => ({
  NODE_COMPILE_CACHE: join(tmpdir(), "node-compile-cache"),
});

/** At once and not at the end, which one that is killed does not come to. The command line, which it may start, has its own. */
export function compiled(): void {
  delete process.env.NODE_COMPILE_CACHE;
  flushCompileCache();
}
