/**
 * The types of the package: a file for each entry point (`dist/types/index.d.ts`, `core.d.ts` …), and one for each set of declarations that
 * several of them share, so that a class that two entries give is one type.
 *
 * The compiler writes a declaration for each source; these are bundled, and what no reader of them can use is left out. They name no
 * other package: a program needs neither ours nor Node's types to check them (`skipLibCheck: false`).
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Plugin } from "rolldown";
import { entryPoints } from "./entries.ts";

const root = join(import.meta.dirname, "..");
const tsc = join(root, "node_modules/typescript/bin/tsc");
/** What the declarations use of newer editions, whatever `lib` a program has. */
const editions = ["es2024", "esnext.disposable"].map((lib) => `/// <reference lib="${lib}" />\n`).join("");

/** Writes the declarations into a folder of their own. */
export async function bundleDeclarations(folder: string): Promise<void> {
  const emitted = mkdtempSync(join(tmpdir(), "harn-types-"));
  try {
    emit(emitted);
    const [{ rolldown }, { dts }] = await Promise.all([import("rolldown"), import("rolldown-plugin-dts")]);
    const bundle = await rolldown({
      input: Object.fromEntries(
        [...entryPoints().keys()].map((name) => [name, join(emitted, "library", `${name}.d.ts`)]),
      ),
      // Without a tsconfig it needs no compiler: the declarations are there.
      plugins: [opaquePackages, dts({ dtsOnly: true, tsconfig: false, generator: "oxc" }), oneModule],
      checks: { bundlerTimings: false },
      onLog: (level, log, report) => {
        // What augments another module is made part of it (`oneModule`).
        if (!log.message.includes("Relative module declaration")) report(level, log);
      },
    });
    await bundle.write({
      dir: folder,
      format: "es",
      banner: editions,
      chunkFileNames: "shared/[name].ts",
      // Names as they are: what shared files give reads as it was written.
      minifyInternalExports: false,
      comments: { legal: true, annotation: false, jsdoc: true },
    });
    await bundle.close();
  } finally {
    rmSync(emitted, { recursive: true, force: true });
  }
}

function emit(folder: string): void {
  const done = spawnSync(
    process.execPath,
    [tsc, "-p", join(root, "tsconfig.types.json"), "--outDir", folder],
    {
      encoding: "utf8",
    },
  );
  if (done.status !== 0) throw new Error(`the declarations can't be made:\n${done.stdout}${done.stderr}`);
}

/**
 * `typeof import("yaml")` is `unknown`: the libraries that a host has for builtins are inside of the package, a program hands them on and
 * never looks into them.
 */
const opaquePackages: Plugin = {
  name: "opaque-packages",
  transform: {
    order: "pre",
    filter: { id: /\.d\.ts$/ },
    handler: (code) => code.replaceAll(/typeof import\("[^.][^"]*"\)(?:\.\w+)*/g, "unknown"),
  },
};

/** `declare module "./value.ts" { interface ValueClasses {…} }`: in one file with that interface it adds to it as it stands. */
const augmentation = /^declare module "\.[^"]*" \{\n([\s\S]*?)\n\}$/gm;
/** What a file names nothing of: its reader would read a file more. */
const unused = /^import "[^"]*";\n/gm;
const foreign = /(?:from |import\()"([^."][^"]*)"/g;

const oneModule: Plugin = {
  name: "one-module",
  generateBundle(_options, bundle) {
    for (const chunk of Object.values(bundle)) {
      if (chunk.type !== "chunk") continue;
      const code = chunk.code.replaceAll(augmentation, (_all, body: string) =>
        body.replaceAll(/^ {2}/gm, ""),
      );
      for (const [, body = ""] of chunk.code.matchAll(augmentation)) {
        const name = /interface (\w+)/.exec(body)?.[1];
        if ([...code.matchAll(new RegExp(`^(?:export )?interface ${name}\\b`, "gm"))].length < 2)
          throw new Error(`types: ${name} is augmented in ${chunk.fileName} and stands in another file`);
      }
      const [other] = [...code.matchAll(foreign)].map(([, from]) => from);
      if (other !== undefined)
        throw new Error(
          `types: ${chunk.fileName} needs ${other}: the public surface may not name other packages`,
        );
      chunk.code = code.replaceAll(unused, "");
    }
  },
};
