/**
 * The store against the program that it records: whoever can write `state.db` can write its journals, the answers of people and
 * the sessions of others. The system says what a path leads to (links, `..`, the case of names), so what is compared is what it
 * gives: the file itself, or its name in the folder itself.
 */
import * as fs from "node:fs";
import { basename, dirname } from "node:path";
import { storeFile } from "../../store/folders.ts";
import { categorisedError, type ScriptError } from "../../values/index.ts";
import type { HostAccess } from "../guard/access.ts";
import { resolve } from "../guard/checked-files.ts";
import type { Files } from "../ports.ts";

/** SQLite keeps what is in progress beside the file. */
const names = [storeFile, ...["-wal", "-shm", "-journal"].map((end) => `${storeFile}${end}`)];

/** What the system says that a path leads to; undefined for nothing, and for what can't be looked at. */
function identityOf(path: string, look: typeof fs.statSync | typeof fs.lstatSync): string | undefined {
  try {
    const found = look(path, { bigint: true });
    return `${found.dev}:${found.ino}`;
  } catch {
    return undefined;
  }
}

const refusal = (path: string): ScriptError => {
  const error = categorisedError(
    "tool_rejected",
    `'${path}' belongs to the store of this run (journals, answers, sessions), which programs don't write; keep values with store_set or checkpoint, and remove runs with \`harn runs delete\``,
  );
  error.code = "HARN-STD-011";
  return error;
};

/**
 * `files` whose changes leave the store in `folder` alone. Reading it is as free as before, and so is deleting the whole folder: the
 * record is gone then, but nothing else can be put in its place.
 */
export function keepingStore(files: Files, folder: () => string): Files {
  const isStore = (path: string): boolean => {
    const home = folder();
    const itself = identityOf(path, fs.statSync);
    if (itself !== undefined && names.some((name) => identityOf(`${home}/${name}`, fs.statSync) === itself))
      return true;
    if (!names.includes(basename(path).toLowerCase())) return false;
    const parent = identityOf(dirname(path), fs.statSync);
    return parent !== undefined && parent === identityOf(home, fs.statSync);
  };
  /** A folder that the store lies in, at any depth. */
  const holdsStore = (path: string): boolean => {
    const itself = identityOf(path, fs.lstatSync);
    if (itself === undefined || identityOf(`${folder()}/${storeFile}`, fs.statSync) === undefined)
      return false;
    let at = fs.realpathSync.native(folder());
    for (;;) {
      if (identityOf(at, fs.lstatSync) === itself) return true;
      if (dirname(at) === at) return false;
      at = dirname(at);
    }
  };
  const mayWrite = (path: string): void => {
    if (isStore(path)) throw refusal(path);
  };
  /** The state folder or one above it, there or not: what is put there would be believed. */
  const becomesHome = (path: string): boolean => {
    const place = resolve(files, path, false).path;
    const home = resolve(files, folder(), true).path;
    return home === place || home.startsWith(`${place}/`);
  };
  const mayMove = (from: string, to: string): void => {
    mayWrite(from);
    mayWrite(to);
    if (holdsStore(from)) throw refusal(from);
    if (becomesHome(to)) throw refusal(to);
  };
  const judge = (access: HostAccess): void => {
    if (access.kind !== "file" || access.group !== "fs.write") return;
    if (access.to === undefined) mayWrite(access.path);
    else mayMove(access.path, access.to);
  };
  const { guarded } = files;
  return {
    ...files,
    write: (path, data, mode) => {
      mayWrite(path);
      files.write(path, data, mode);
    },
    append: (path, data, mode) => {
      mayWrite(path);
      files.append(path, data, mode);
    },
    remove: (path) => {
      mayWrite(path);
      files.remove(path);
    },
    copy: (from, to) => {
      mayWrite(to);
      files.copy(from, to);
    },
    rename: (from, to) => {
      mayMove(from, to);
      files.rename(from, to);
    },
    ...(guarded === undefined
      ? {}
      : {
          guarded: (rules) =>
            guarded((access) => {
              judge(access);
              rules(access);
            }),
        }),
  };
}
