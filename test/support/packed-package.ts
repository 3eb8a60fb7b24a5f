/** The package as it is published, packed once for all test files of a run, and installed where a test wants it. */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type Packed, packInto } from "../../scripts/pack.ts";
import { cleanEnvironment } from "./command-environment.ts";
import { projectRoot, sharedState } from "./project.ts";

/** The compilers that a user of the package may have. */
export const compilers = {
  "TypeScript 5.9": join(projectRoot, "dev/typescript-5/node_modules/typescript/bin/tsc"),
  "TypeScript 7": join(projectRoot, "node_modules/typescript/bin/tsc"),
};

/** Removed with the suite's temporary folder. */
const shared = join(tmpdir(), sharedState, "package");

/** The first that asks packs; the others wait for it. */
export async function packedPackage(): Promise<Packed> {
  const made = join(shared, "packed.json");
  if (isFirst()) {
    const result = await packInto(shared).catch((error: Error) => ({ failed: error.message }));
    writeFileSync(`${made}.new`, JSON.stringify(result));
    renameSync(`${made}.new`, made);
  }
  while (!existsSync(made)) await sleep(100);
  const packed = JSON.parse(readFileSync(made, "utf8")) as Packed & { failed?: string };
  if (packed.failed !== undefined) throw new Error(packed.failed);
  return packed;
}

function isFirst(): boolean {
  mkdirSync(dirname(shared), { recursive: true });
  try {
    mkdirSync(shared);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}

/**
 * Makes a folder a project that has the package and nothing else, without a network. `packages` are linked from the repository's own: what a
 * program of its user would install beside it. Gives the folder of the package.
 */
export async function installPackage(folder: string, packages: readonly string[] = []): Promise<string> {
  const { tarball } = await packedPackage();
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), '{"private": true, "type": "module"}\n');
  inPackage("npm", ["install", "--offline", "--ignore-scripts", "--no-audit", "--no-fund", tarball], folder);
  for (const name of packages) {
    const link = join(folder, "node_modules", name);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(join(projectRoot, "node_modules", name), link);
  }
  return join(folder, "node_modules/harn");
}

/** Runs a command in a folder, which must succeed; gives what it prints. */
export function inPackage(command: string, args: readonly string[], cwd: string): string {
  const done = spawnSync(command, args, {
    cwd,
    env: cleanEnvironment({ XDG_CACHE_HOME: join(shared, "cache") }),
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
  });
  if (done.status !== 0)
    throw new Error(`${command} ${args.join(" ")}: ${done.error?.message ?? ""}${done.stderr}${done.stdout}`);
  return done.stdout;
}
