/**
 * Completes `package-lock.json` with the platform packages that the registry in use does not serve. npm leaves them out
 * of the lock file, and `npm ci` then refuses the lock file as incomplete, on every machine. The entries carry name,
 * version and platform, which is all that npm needs to skip them here; elsewhere it fetches them by version.
 *
 * Run it under Node 24 after each change of dependencies: `npm install --package-lock-only && node scripts/complete-lock.ts`.
 */
import { readFileSync, writeFileSync } from "node:fs";

interface LockEntry {
  version?: string;
  dev?: boolean;
  optionalDependencies?: Record<string, string>;
  [key: string]: unknown;
}
interface Lock {
  packages: Record<string, LockEntry>;
}

const systems = [
  "android",
  "darwin",
  "freebsd",
  "linux",
  "openharmony",
  "win32",
  "aix",
  "netbsd",
  "openbsd",
  "sunos",
];
const processors = ["arm64", "arm", "x64", "ia32", "ppc64", "riscv64", "s390x", "loong64", "wasm32"];

const file = "package-lock.json";
const lock = JSON.parse(readFileSync(file, "utf8")) as Lock;
const added = Object.entries(lock.packages).flatMap(([path, entry]) => complete(path, entry));
lock.packages = Object.fromEntries(Object.entries(lock.packages).sort(([a], [b]) => (a < b ? -1 : 1)));
writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`);
console.log(`${file}: ${added.length} platform packages added`);

/** Adds the optional platform packages of one entry that are nowhere in the lock file; gives their paths. */
function complete(path: string, entry: LockEntry): string[] {
  return Object.entries(entry.optionalDependencies ?? {}).flatMap(([name, range]) => {
    const platform = platformOf(name);
    // Platform packages are released together with what needs them: the least version of a range is theirs.
    const version = range.replace(/^[\^~]/, "");
    if (platform === undefined || lookUp(path, name)?.version === version) return [];
    const place = `${path.slice(0, path.lastIndexOf("node_modules/"))}node_modules/${name}`;
    const { os, cpu, libc } = platform;
    lock.packages[place] = {
      version,
      ...(cpu === undefined ? {} : { cpu: [cpu] }),
      ...(entry.dev === true ? { dev: true } : {}),
      ...(libc === undefined ? {} : { libc: [libc] }),
      optional: true,
      ...(os === undefined ? {} : { os: [os] }),
    };
    return [place];
  });
}

/** What `require(name)` would find from a package, as Node looks: in its own folder, then in those above it. */
function lookUp(from: string, name: string): LockEntry | undefined {
  for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf("/node_modules/")))) {
    const found = lock.packages[folder === "" ? `node_modules/${name}` : `${folder}/node_modules/${name}`];
    if (found !== undefined || folder === "") return found;
    if (!folder.includes("/node_modules/")) folder = "";
    if (folder === "") return lock.packages[`node_modules/${name}`];
  }
}

function platformOf(name: string): { os?: string; cpu?: string; libc?: string } | undefined {
  const words = name.split(/[/-]/);
  const os = systems.find((system) => words.includes(system));
  const cpu = processors.find((processor) => words.includes(processor));
  if (os === undefined && cpu === undefined) return undefined;
  return {
    ...(os === undefined ? {} : { os }),
    ...(cpu === undefined ? {} : { cpu }),
    ...(words.includes("musl") ? { libc: "musl" } : {}),
  };
}
