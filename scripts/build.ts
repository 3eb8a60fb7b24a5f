/**
 * Bundles `src/` into `dist/`.
 *
 *   dist/cli.cjs       the command line: what every run needs in one file, the rest in chunks/ loaded on first use
 *   dist/index.js      the library, a file for each entry point (entries.ts); what they run is in the same chunks
 *   dist/libraries/    what builtins load at once, for both
 *   dist/viewer/       the page that `harn serve` shows (viewer.ts)
 *   dist/engine/       what workers hand to the engine's sandbox (engine-workflow.ts)
 *   dist/code-cache/   what V8 made of the command line's files, for this Node on this machine (not published)
 *   dist/types/        its declarations (declarations.ts); only with `--types`, for the published package
 *
 * All of it is CommonJS: an `import` of `node:fs` makes Node evaluate every lazy export of that module (streams,
 * promises, readline …: 25 ms), a `require` does not; and files are found and read faster. The vendors' SDKs and all other
 * packages are chunks of their own, loaded on first use: the published package depends on none.
 *
 * `--if-stale`: only when a source is newer than the bundle. Prints nothing when all is well.
 */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync } from "node:zlib";
import type { OutputOptions, RolldownOptions } from "rolldown";
import { keptLicence, licenceBeside } from "../src/executable/licences.ts";
import { warmProgram, warmPrograms } from "../src/executable/warm-programs.ts";
import { ascii, later, rootCopies, sortModules, unindented } from "./chunks.ts";
import { bundleDeclarations } from "./declarations.ts";
import { bundleEngineWorkflow } from "./engine-workflow.ts";
import { entryForPages, entrySource, libraryEntries } from "./entries.ts";
import { lazyRequires } from "./lazy-requires.ts";
import { libraryFolder, libraryInputs, libraryPlace } from "./libraries.ts";
import { BundledPackages, packageOf } from "./packages.ts";
import { bundleViewer } from "./viewer.ts";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "..");
const dist = join(root, "dist");
const types = join(dist, "types");
const entry = join(root, "src/cli/main.ts");
/** The chunk of the bundler's own helpers: namespaces of modules that are imported as a whole. */
const bundlerHelpers = "rolldown_runtime";
/**
 * What `pg` takes instead of itself where it is there. Beside these only optional peers are left outside; everything else
 * is in the bundle, loaded on first use: installed, the SDKs alone weigh 100 MB. (`@opentelemetry/api` too: its copies find
 * one another through `globalThis`.)
 */
const besides = ["pg-native", "pg-cloudflare"];

const wants = (flag: string): boolean => process.argv.includes(flag);
if (!(wants("--if-stale") && isFresh())) {
  await build().catch(failed);
}
if (wants("--types") && !areDeclarationsFresh()) await declarations().catch(failed);

async function build(): Promise<void> {
  const { rolldown } = await import("rolldown");
  // Beside it and renamed: whoever runs or tests the old bundle meanwhile keeps it whole.
  const fresh = `${dist}.new-${process.pid}`;
  const programs = mkdtempSync(join(tmpdir(), "harn-build-"));
  const packages = new BundledPackages();
  const bundles: [RolldownOptions, OutputOptions][] = [
    commandAndLibrary(fresh, packages, await builtinNames()),
    client(fresh, packages),
    libraries(fresh, packages),
  ];
  try {
    await Promise.all([
      ...bundles.map(async ([input, output]) => {
        const bundle = await rolldown(input);
        await bundle.write(output);
        await bundle.close();
      }),
      bundleViewer(fresh, packages),
      bundleEngineWorkflow(fresh, packages),
    ]);
    writeFileSync(join(fresh, "THIRD_PARTY_NOTICES.txt"), packages.notices());
    const ofNode = licenceBeside(process.execPath);
    if (ofNode !== undefined) writeFileSync(join(fresh, keptLicence), brotliCompressSync(ofNode));
    tryOut(fresh, programs);
    replace(fresh);
    warmCodeCache(programs);
  } finally {
    rmSync(fresh, { recursive: true, force: true });
    rmSync(programs, { recursive: true, force: true });
  }
}

/** The command line and the library: one bundle, so that nothing is in the package twice. */
function commandAndLibrary(
  folder: string,
  packages: BundledPackages,
  names: readonly string[],
): [RolldownOptions, OutputOptions] {
  const light = entrySource("index");
  const groups = new Map(["light", "core", ...Object.keys(later)].map((name) => [name, new Set<string>()]));
  return [
    {
      ...common({ HARN_BUILTIN_NAMES: JSON.stringify(names.join(" ")) }),
      input: { cli: entry },
      // The entry's file is the core itself: other chunks take from it what they need.
      preserveEntrySignatures: "allow-extension",
      plugins: [
        libraryEntries,
        rootCopies,
        sortModules({ core: entry, light }, groups),
        lazyRequires("cli", ["light", ...Object.keys(later), bundlerHelpers]),
        libraryPlace,
        ascii,
        unindented,
        packages.plugin,
      ],
    },
    {
      ...minified(folder),
      format: "cjs",
      entryFileNames: "[name].cjs",
      chunkFileNames: (chunk) => `chunks/${packageOf(chunk) ?? "[name]"}-[hash].cjs`,
      // One file instead of a dozen: each costs a look-up, a read and a check, 0.5 ms.
      codeSplitting: {
        includeDependenciesRecursively: false,
        groups: [
          ...[...groups].map(([name, ids]) => ({ name, test: (id: string) => ids.has(id) })),
          // What the loop and its subsystems share would else be a handful of small files.
          { name: "agent-loop", test: (id) => /\/src\/agent\//.test(id) },
          // Small commands that all load the same engine.
          { name: "eval-commands", test: (id) => /\/src\/cli\/eval\//.test(id) },
          // What runs on workers share: but for its settings, which other commands look at, and the thread's own files.
          { name: "cluster", test: (id) => /\/src\/(cli\/)?cluster\/(?!journals\/|settings\/)/.test(id) },
        ],
      },
    },
  ];
}

function client(folder: string, packages: BundledPackages): [RolldownOptions, OutputOptions] {
  return [
    { ...common(), input: { [entryForPages]: entrySource(entryForPages) }, plugins: [packages.plugin] },
    { ...minified(folder), format: "esm", entryFileNames: "[name].js" },
  ];
}

function libraries(folder: string, packages: BundledPackages): [RolldownOptions, OutputOptions] {
  return [
    { ...common(), input: libraryInputs(), plugins: [ascii, unindented, packages.plugin] },
    {
      ...minified(join(folder, libraryFolder)),
      format: "cjs",
      exports: "named",
      entryFileNames: "[name].cjs",
      chunkFileNames: "[name]-[hash].cjs",
    },
  ];
}

function common(define: Record<string, string> = {}): RolldownOptions {
  const { peerDependencies, engines } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const external = [...besides, ...Object.keys(peerDependencies)];
  return {
    platform: "node",
    external: (id) =>
      id.startsWith("node:") || external.some((name) => id === name || id.startsWith(`${name}/`)),
    // The oldest Node that the package promises has no `using`, for one.
    transform: { target: engines.node.replace(">=", "node"), define: { ...digests(), ...define } },
    logLevel: "warn",
    // A busy machine is no news.
    checks: { bundlerTimings: false },
  };
}

function minified(dir: string): OutputOptions {
  // Names of functions and line breaks stay: the stack of an internal error is there to be reported. They cost 1 ms.
  return {
    dir,
    minify: { mangle: { toplevel: false }, compress: true, codegen: { removeWhitespace: false } },
    comments: { legal: true, annotation: false, jsdoc: false },
    sourcemap: false,
  };
}

/** The names of all builtins in the table's order. */
async function builtinNames(): Promise<string[]> {
  const { builtinTable } = await import("../src/builtins/index.ts");
  return [...builtinTable().keys()];
}

/** What the keys of the caches depend on (`src/program/ast-shape.ts`): what makes trees, and what judges them. */
function digests(): Record<string, string> {
  const syntax = ["syntax", "source"];
  const checker = [...syntax, "diagnostics", "resolve", "table", "types", "builtins"];
  return {
    HARN_SYNTAX_DIGEST: JSON.stringify(digestOf(syntax)),
    HARN_CHECKER_DIGEST: JSON.stringify(digestOf(checker)),
  };
}

function digestOf(folders: readonly string[]): string {
  const hash = createHash("sha256");
  for (const folder of folders) {
    for (const file of filesIn(join(root, "src", folder)).sort()) hash.update(readFileSync(file));
  }
  hash.update(readFileSync(join(root, "node_modules/chevrotain/package.json")));
  return hash.digest("hex").slice(0, 16);
}

/** Puts the new bundle in the place of the old one, and tries again when another build did so at the same moment. */
function replace(fresh: string): void {
  const old = `${dist}.old-${process.pid}`;
  for (let tries = 10; ; tries--) {
    try {
      if (existsSync(dist)) renameSync(dist, old);
      renameSync(fresh, dist);
      return;
    } catch (error) {
      if (tries === 0) throw error;
    } finally {
      rmSync(old, { recursive: true, force: true });
    }
  }
}

/** A bundle that cannot run a program never takes the place of one that can. */
function tryOut(fresh: string, programs: string): void {
  const start = 'require(process.argv[1]).main(["run", process.argv[2]])';
  for (const [name, { text, prints }] of Object.entries(warmPrograms)) {
    writeFileSync(join(programs, name), text);
    const args = ["-e", start, join(fresh, "cli.cjs"), join(programs, name)];
    const { stdout, stderr } = spawnSync(process.execPath, args, {
      env: ownFolders(programs),
      encoding: "utf8",
    });
    if (stdout !== prints) throw new Error(`the new bundle does not run ${name}:\n${stdout}${stderr}`);
  }
}

/**
 * The launcher keeps the compiled form of the bundle beside it, each file with the functions that the first process ran
 * that loaded it: so the first one runs all programs, without any tree in the cache, and the second checks them.
 */
function warmCodeCache(programs: string): void {
  const folder = mkdtempSync(join(programs, "cold-"));
  const all = join(folder, "all.harn");
  writeFileSync(all, warmProgram());
  const env = ownFolders(folder);
  for (const command of ["run", "check"])
    spawnSync(join(root, "bin/harn.cjs"), [command, all], { env, stdio: "ignore" });
}

/** Caches and runs of a build lie in its own folder, not in the project's. */
function ownFolders(folder: string): NodeJS.ProcessEnv {
  const path = `${dirname(process.execPath)}${delimiter}${process.env.PATH}`;
  return { ...process.env, XDG_CACHE_HOME: folder, HARN_STATE_DIR: join(folder, "state"), PATH: path };
}

/** Beside it and renamed, as the bundle. */
async function declarations(): Promise<void> {
  const fresh = mkdtempSync(join(dist, "types.new-"));
  try {
    await bundleDeclarations(fresh);
    rmSync(types, { recursive: true, force: true });
    renameSync(fresh, types);
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
}

function failed(error: Error): never {
  console.error(error.message);
  process.exit(1);
}

function isFresh(): boolean {
  return isNewest(join(dist, "cli.cjs"), ["src", "scripts", "viewer"]);
}

function areDeclarationsFresh(): boolean {
  return isNewest(join(types, "index.d.ts"), ["src", "scripts"]);
}

function isNewest(made: string, folders: readonly string[]): boolean {
  if (!existsSync(made)) return false;
  const at = statSync(made).mtimeMs;
  const sources = folders.flatMap((folder) => filesIn(join(root, folder)));
  return [...sources, ...["package.json", "package-lock.json"].map((name) => join(root, name))].every(
    (file) => statSync(file).mtimeMs <= at,
  );
}

function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((one) => one.isFile())
    .map((one) => join(one.parentPath, one.name));
}
