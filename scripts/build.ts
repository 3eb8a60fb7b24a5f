/**
 * Bundles `src/` into `dist/`: the CLI and the library, split into chunks so that nothing a script does not use is
 * loaded. The vendors' SDKs and zod stay outside: they are imported from node_modules on first use.
 *
 * `--if-stale`: only when a source is newer than the bundle.
 */
import { existsSync, readdirSync, rmSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "..");
const out = join(root, "dist");
const external = ["smol-toml", "re2js", "minimatch", "openai", "@anthropic-ai/sdk", "zod"];

if (process.argv.includes("--if-stale") && isFresh()) process.exit(0);
await build();

async function build(): Promise<void> {
  const bundle = await rolldown({
    input: { cli: join(root, "src/cli/main.ts"), index: join(root, "src/index.ts") },
    platform: "node",
    external: (id) =>
      id.startsWith("node:") || external.some((name) => id === name || id.startsWith(`${name}/`)),
    logLevel: "warn",
  });
  rmSync(out, { recursive: true, force: true });
  await bundle.write({
    dir: out,
    format: "esm",
    minify: { mangle: false, compress: true, codegen: true },
    entryFileNames: "[name].js",
    chunkFileNames: "chunks/[name]-[hash].js",
    sourcemap: false,
  });
  await bundle.close();
}

function isFresh(): boolean {
  const made = join(out, "cli.js");
  if (!existsSync(made)) return false;
  const at = statSync(made).mtimeMs;
  const newest = Math.max(
    ...["src", "scripts"].map((folder) => newestIn(join(root, folder))),
    mtime("package-lock.json"),
  );
  return newest <= at;
}

function mtime(name: string): number {
  return statSync(join(root, name)).mtimeMs;
}

function newestIn(folder: string): number {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  return files.reduce(
    (newest, entry) => Math.max(newest, statSync(join(entry.parentPath, entry.name)).mtimeMs),
    0,
  );
}
