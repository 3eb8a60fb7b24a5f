/**
 * Packs the package as it is published: what `files` of package.json names, from a copy, so that declarations get into it and the folder that
 * people and tests work in stays as it is. The bundle must be there (`npm run build`); `npm run package` sees to it.
 */
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative, resolve } from "node:path";
import { bundleDeclarations } from "./declarations.ts";

const root = join(import.meta.dirname, "..");

export interface Packed {
  readonly tarball: string;
  /** Bytes of the tarball. */
  readonly size: number;
  /** Bytes of all files in it. */
  readonly unpackedSize: number;
  readonly files: readonly { readonly path: string; readonly size: number }[];
}

/** Writes `harn-VERSION.tgz` into a folder. */
export async function packInto(folder: string): Promise<Packed> {
  const copy = mkdtempSync(join(tmpdir(), "harn-pack-"));
  try {
    const { files } = manifest();
    const isLeftOut = (path: string): boolean => files.includes(`!${relative(root, path)}`);
    for (const name of ["package.json", ...files.filter((one) => !one.startsWith("!"))])
      cpSync(join(root, name), join(copy, name), { recursive: true, filter: (path) => !isLeftOut(path) });
    writeFileSync(join(copy, "package.json"), `${JSON.stringify(publishedManifest(), null, 2)}\n`);
    rmSync(join(copy, "dist/types"), { recursive: true, force: true });
    await bundleDeclarations(join(copy, "dist/types"));
    mkdirSync(folder, { recursive: true });
    const [made] = JSON.parse(
      npm(["pack", "--json", "--ignore-scripts", "--pack-destination", folder], copy),
    );
    return {
      tarball: join(folder, made.filename),
      size: made.size,
      unpackedSize: made.unpackedSize,
      files: made.files,
    };
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

const manifest = (): { files: string[] } => JSON.parse(readFileSync(join(root, "package.json"), "utf8"));

/** Without what only a clone uses: npm asks who installs a package with scripts whether these may run. */
function publishedManifest(): object {
  const ofClones = ["scripts", "devDependencies", "workspaces"];
  return Object.fromEntries(Object.entries(manifest()).filter(([key]) => !ofClones.includes(key)));
}

/** What npm prints as JSON. */
function npm(args: readonly string[], cwd: string): string {
  const done = spawnSync("npm", args, { cwd, encoding: "utf8", maxBuffer: 64 * 1024 * 1024 });
  if (done.status !== 0) throw new Error(`npm ${args.join(" ")}: ${done.error?.message ?? done.stderr}`);
  return done.stdout.slice(done.stdout.indexOf("["));
}

// `npm run package [FOLDER]`; the folder that it is called in unless given.
if (import.meta.main) console.log((await packInto(resolve(process.argv[2] ?? "."))).tarball);
