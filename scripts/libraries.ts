/**
 * The libraries that builtins ask for at once (`host.libraries`), a file each in `dist/libraries/`. They can't be chunks of
 * the bundle: a chunk is loaded by a promise.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Plugin } from "rolldown";

const root = join(import.meta.dirname, "..");
export const libraryFolder = "libraries";

/** Name in the folder → what is imported. */
export function libraryInputs(): Record<string, string> {
  const source = readFileSync(join(root, "src/host/node/node-host.ts"), "utf8");
  const names = [...source.matchAll(/\bloadLibrary\("([^"]+)"\)/g)].map(([, name]) => name as string);
  if (names.length === 0)
    throw new Error("src/host/node/node-host.ts loads no library: is `loadLibrary` called otherwise now?");
  return Object.fromEntries(names.map((name) => [name.replaceAll("/", "-"), name]));
}

/** The thread that writes copies of runs (`src/cluster/journals/`) is started by its file. */
const mirrorThread = "mirror-thread.cjs";

/** Tells each file of a bundle where the folder lies from it, and the file of a thread. */
export const libraryPlace: Plugin = {
  name: "library-place",
  buildStart() {
    const id = join(root, "src/cluster/journals/mirror-thread.ts");
    this.emitFile({ type: "chunk", id, fileName: mirrorThread });
  },
  renderChunk(code, chunk) {
    if (!/HARN_LIBRARIES|HARN_MIRROR_THREAD/.test(code)) return null;
    const up = chunk.fileName.includes("/") ? "../" : "./";
    return code
      .replaceAll("HARN_LIBRARIES", JSON.stringify(`${up}${libraryFolder}/`))
      .replaceAll("HARN_MIRROR_THREAD", JSON.stringify(`${up}${mirrorThread}`));
  },
};
