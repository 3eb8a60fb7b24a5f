/**
 * The entry points of the package. `exports` of package.json is the list of them, for Node, the build and the tests: the source of `./NAME`
 * is `src/library/NAME.ts`, that of `.` is `src/library/index.ts`; what is built stands in `dist/` under the same name.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { OutputChunk, Plugin } from "rolldown";

const root = join(import.meta.dirname, "..");

/** Name of the file without its ending (`index`, `client`) → how a program imports it (`harn`, `harn/client`). */
export function entryPoints(): ReadonlyMap<string, string> {
  const { exports } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
    exports: Record<string, unknown>;
  };
  return new Map(
    Object.keys(exports)
      .filter((key) => key !== "./package.json")
      .map((key) => [key === "." ? "index" : key.slice(2), key === "." ? "harn" : `harn${key.slice(1)}`]),
  );
}

export const entrySource = (name: string): string => join(root, `src/library/${name}.ts`);

/** Of this one pages make use as well: it is a module by itself (`build.ts`), and no part of the command line's bundle. */
export const entryForPages = "client";

/**
 * Adds the entry points to the bundle of the command line. Their code is CommonJS as that is; a program imports a module that names what the
 * entry gives, once it is known that this Node can run it.
 */
export const libraryEntries: Plugin = {
  name: "library-entries",
  buildStart() {
    for (const name of entryPoints().keys())
      if (name !== entryForPages)
        this.emitFile({ type: "chunk", id: entrySource(name), name, preserveSignature: "exports-only" });
  },
  generateBundle(_options, bundle) {
    const chunks = Object.values(bundle).filter((one) => one.type === "chunk");
    for (const name of entryPoints().keys()) {
      if (name === entryForPages) continue;
      const { fileName: from, exports } = chunks.find(
        ({ facadeModuleId }) => facadeModuleId === entrySource(name),
      ) as OutputChunk;
      const source = `import "../bin/needed-node.cjs";\nimport entry from "./${from}";\nexport const { ${exports.join(", ")} } = entry;\n`;
      this.emitFile({ type: "asset", fileName: `${name}.js`, source });
    }
  },
};
