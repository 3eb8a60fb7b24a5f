/** Where programs of the comparison live: a folder for each framework below the temporary one, with its packages. */
import { execFileSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Framework, programsFolder, zod } from "./frameworks.ts";

const project = fileURLToPath(new URL("../..", import.meta.url));

export const benchFolder: string = join(tmpdir(), "harn-bench-library");
export const folderOf = ({ folder }: Framework): string => join(benchFolder, folder);

const npm = (cwd: string, ...args: readonly string[]): string =>
  execFileSync("npm", [...args, "--no-audit", "--no-fund", "--loglevel=error"], {
    cwd,
    encoding: "utf8",
    maxBuffer: 64 << 20,
    stdio: ["ignore", "pipe", "pipe"],
    // Native packages are compiled against the Node that runs them.
    env: { ...process.env, npm_config_nodedir: dirname(dirname(process.execPath)) },
  });

/** The packed package of this working tree, as people install it. */
function packed(): string {
  const folder = join(benchFolder, "pack");
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  npm(project, "pack", "--silent", `--pack-destination=${folder}`);
  const [tarball] = readdirSync(folder);
  return join(folder, tarball ?? "");
}

/** Installs what is not there in these versions yet; ours always, since it changes. `tarball`: in place of packing. */
export function install(framework: Framework, tarball?: string): void {
  const folder = folderOf(framework);
  const wanted = JSON.stringify([zod, ...framework.packages]);
  const mark = join(folder, "installed.json");
  const isOurs = framework.packages.length === 0;
  const isThere = existsSync(mark) && readFileSync(mark, "utf8") === wanted;
  if (isOurs || !isThere) {
    console.error(`installing ${framework.name} …`);
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "package.json"), '{"private": true, "type": "module"}\n');
    const own = isOurs ? [tarball ?? packed()] : framework.packages;
    npm(folder, "install", "--ignore-scripts", zod, ...own);
    for (const name of framework.native ?? []) npm(folder, "rebuild", name, "--ignore-scripts=false");
    writeFileSync(mark, wanted);
  }
  cpSync(join(programsFolder, "weather.ts"), join(benchFolder, "weather.ts"));
  cpSync(join(programsFolder, framework.folder), folder, { recursive: true });
  writeFileSync(join(folder, "tsconfig.json"), tsconfig("program.ts"));
  writeFileSync(join(folder, "tsconfig.wrong.json"), tsconfig("wrong.ts"));
}

const tsconfig = (file: string): string =>
  JSON.stringify({
    compilerOptions: {
      ...{ strict: true, noEmit: true, skipLibCheck: true, allowImportingTsExtensions: true },
      ...{ module: "nodenext", target: "es2024", lib: ["es2024", "esnext.disposable"] },
      ...{ types: ["node"], typeRoots: [join(project, "node_modules/@types")] },
    },
    files: [file],
  });

/** The compilers: the one of today, and the one before it. */
export const compilers: ReadonlyMap<string, string> = new Map(
  [project, join(project, "dev/typescript-5")].map((from): [string, string] => {
    const manifest = createRequire(join(from, "x.js")).resolve("typescript/package.json");
    const { version } = JSON.parse(readFileSync(manifest, "utf8")) as { version: string };
    return [version, join(dirname(manifest), "bin/tsc")];
  }),
);

export interface Installed {
  readonly megabytes: number;
  readonly packages: number;
}

/** What an installation puts on the disk. */
export function installed(framework: Framework): Installed {
  const modules = join(folderOf(framework), "node_modules");
  const files = readdirSync(modules, { recursive: true, withFileTypes: true }).filter((one) => one.isFile());
  const bytes = files
    .map((file) => statSync(join(file.parentPath, file.name)).size)
    .reduce((a, b) => a + b, 0);
  const lock = JSON.parse(readFileSync(join(folderOf(framework), "package-lock.json"), "utf8")) as {
    packages: Record<string, unknown>;
  };
  return {
    megabytes: bytes / 1e6,
    packages: Object.keys(lock.packages).filter((path) => path !== "").length,
  };
}
