/**
 * Files that ship with the program: `stdlib`, `templates`, the viewer. They lie in folders beside its bundle, or in the
 * executable that `harn build` made. This is the one place that knows which.
 */
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, isAbsolute, join, relative } from "node:path";
import { fileURLToPath } from "node:url";

export interface ShippedFolder {
  /** What paths of its files begin with, in messages and journals. In an executable nothing lies there. */
  readonly path: string;
  /** All files below it, with slashes, sorted. */
  names(): readonly string[];
  has(name: string): boolean;
  bytes(name: string): Uint8Array<ArrayBuffer>;
  text(name: string): string;
}

/** What lies in the executable that this process was started from. */
export interface ExecutableContents {
  /** Names of all files, with slashes. */
  readonly names: () => readonly string[];
  /** A file; nobody writes into what it gives. */
  readonly read: (name: string) => Uint8Array<ArrayBuffer> | undefined;
}

let contents: ExecutableContents | undefined;

/** Called once, before anything else, in the process of an executable. */
export function useExecutable(own: ExecutableContents): void {
  contents = own;
}

/** `undefined` where a launcher was started. */
export const ownExecutable = (): ExecutableContents | undefined => contents;

/** A folder that ships with the program: `stdlib`, `dist/viewer`. */
export const shippedFolder = (name: string): ShippedFolder =>
  contents === undefined ? folderOnDisk(nearestFolder(name)) : folderInside(contents, name);

/** The nearest folder of that name above this file: of the sources, of a clone's bundle, of the installed package. */
function nearestFolder(name: string): string {
  for (let folder = dirname(fileURLToPath(import.meta.url)); ; folder = dirname(folder)) {
    const candidate = join(folder, name);
    if (existsSync(candidate) || dirname(folder) === folder) return candidate;
  }
}

export const folderOnDisk = (path: string): ShippedFolder => ({
  path,
  names: () =>
    readdirSync(path, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) =>
        join(entry.parentPath, entry.name)
          .slice(path.length + 1)
          .replaceAll("\\", "/"),
      )
      .sort(),
  has: (name) => statSync(join(path, name), { throwIfNoEntry: false })?.isFile() === true,
  bytes: (name) => readFileSync(join(path, name)),
  text: (name) => readFileSync(join(path, name), "utf8"),
});

function folderInside({ names, read }: ExecutableContents, folder: string): ShippedFolder {
  const found = (name: string): Uint8Array<ArrayBuffer> | undefined =>
    read(`${folder}/${name.replaceAll("\\", "/")}`);
  const bytes = (name: string): Uint8Array<ArrayBuffer> => {
    const there = found(name);
    if (there === undefined) throw new Error(`this executable holds no ${folder}/${name}`);
    return there;
  };
  return {
    // Below a file lies nothing else: no path of this machine is mistaken for one of these.
    path: join(process.execPath, folder),
    names: () => {
      const start = `${folder}/`;
      return names().flatMap((name) => (name.startsWith(start) ? [name.slice(start.length)] : []));
    },
    has: (name) => found(name) !== undefined,
    bytes,
    text: (name) => Buffer.from(bytes(name)).toString("utf8"),
  };
}

/** The text of the module at a path: a file, or one of the library that ships with the program. */
export function textOfModule(path: string): string {
  const library = shippedFolder("stdlib");
  const inside = relative(library.path, path);
  const isStandard = inside !== "" && !inside.startsWith("..") && !isAbsolute(inside);
  return isStandard ? library.text(inside) : readFileSync(path, "utf8");
}

/** The text of a module of the library that ships with the program: `agent/compaction`. */
export const shippedModule = (name: string): string => shippedFolder("stdlib").text(`${name}.harn`);
