/**
 * `harn test --watch`: runs everything once, then what a change touches: the tests whose files were compiled from it,
 * or, for data and templates, the tests of the folder in which it lies. And which files `harn test` looks at.
 */

import {
  existsSync,
  type FSWatcher,
  readdirSync,
  readFileSync,
  realpathSync,
  statSync,
  watch,
} from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { print, UsageError } from "../../host/command/index.ts";
import type { FileReport } from "../index.ts";

/** What runs the tests. */
interface WatchedSession {
  run(files: readonly string[], onReport: (report: FileReport) => void): Promise<unknown>;
}

/** Runs until the process is interrupted. */
export async function watchTests(
  session: WatchedSession,
  places: readonly string[],
  find: () => string[],
): Promise<never> {
  const inputs = new Map<string, readonly string[]>();
  const changes = new FileChanges(places);
  const run = async (files: readonly string[]): Promise<void> => {
    await session.run(files, (report) => inputs.set(report.file, report.inputs));
    // Tests write files too: what changed during a run counts only when tests are made from it.
    const known = new Set([...inputs.values()].flat());
    await changes.forget((path) => !known.has(path));
  };
  await run(find());
  for (;;) {
    print("\nwatching for changes; Ctrl-C ends\n");
    const affected = touched(await changes.next(), find(), inputs);
    if (affected.length > 0) await run(affected);
  }
}

/** The test files that have to run again. */
export function touched(
  changed: readonly string[],
  files: readonly string[],
  inputs: ReadonlyMap<string, readonly string[]>,
): string[] {
  const known = new Set([...inputs.values()].flat());
  return files.filter((file) => {
    const from = inputs.get(file);
    if (from === undefined) return true;
    return changed.some((path) =>
      known.has(path) ? from.includes(path) : path.startsWith(dirname(file) + sep),
    );
  });
}

/** Editors write a file in several steps. */
const quietMs = 120;
const pollMs = 500;
/** Below a watched folder, not above it: a project may well lie in a folder called `coverage`. */
const ignored = /(^|[\\/])(node_modules|\.git|\.harn|\.harn-fixtures|coverage)([\\/]|$)/;

interface FileChangesOptions {
  /** Look at the folders instead of asking the operating system. */
  readonly poll?: boolean;
}

/**
 * Which files below some folders change. The operating system tells; where it cannot (network file systems, exhausted
 * watches) the folders are looked at twice a second. What tools write (`node_modules`, `.git` …) is left out.
 */
export class FileChanges {
  private readonly changed = new Set<string>();
  private readonly watchers = new Map<string, FSWatcher>();
  private readonly polls: NodeJS.Timeout[] = [];
  private readonly options: FileChangesOptions;
  private wake: (() => void) | undefined;
  private quiet: NodeJS.Timeout | undefined;

  /** `places`: files (then their folder is watched) or folders. */
  constructor(places: readonly string[], options: FileChangesOptions = {}) {
    this.options = options;
    for (const place of places) {
      const path = realpathSync(place);
      const root = statSync(path).isDirectory() ? path : dirname(path);
      if (options.poll === true) this.poll(root);
      else this.watch(root, root);
    }
  }

  /** The paths that changed, as soon as nothing has changed for a moment. */
  async next(): Promise<readonly string[]> {
    while (this.changed.size === 0 || this.quiet !== undefined)
      await new Promise<void>((resolve) => {
        this.wake = resolve;
      });
    const paths = [...this.changed];
    this.changed.clear();
    return paths;
  }

  /** Waits until what happened so far has been heard of, and forgets what does not matter. */
  async forget(unimportant: (path: string) => boolean): Promise<void> {
    const waitMs = this.options.poll === true ? pollMs + quietMs : quietMs;
    await new Promise((resolve) => setTimeout(resolve, waitMs));
    for (const path of this.changed) if (unimportant(path)) this.changed.delete(path);
  }

  close(): void {
    clearTimeout(this.quiet);
    for (const poll of this.polls) clearInterval(poll);
    for (const watcher of this.watchers.values()) watcher.close();
  }

  private note(path: string, root: string): void {
    if (ignored.test(relative(root, path))) return;
    this.changed.add(path);
    clearTimeout(this.quiet);
    this.quiet = setTimeout(() => {
      this.quiet = undefined;
      this.wake?.();
    }, quietMs);
  }

  private watch(folder: string, root: string): void {
    try {
      if (process.platform === "linux") this.watchTree(folder, root);
      else this.watchFolder(folder, root, true);
    } catch {
      this.poll(folder);
    }
  }

  /**
   * Linux watches one folder at a time. Node would walk them by itself, but it cannot leave out `node_modules`, which may
   * hold more folders than the system has watches.
   */
  private watchTree(folder: string, root: string): void {
    this.watchFolder(folder, root, false);
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      const path = join(folder, entry.name);
      if (entry.isDirectory() && !ignored.test(relative(root, path))) this.watchTree(path, root);
    }
  }

  private watchFolder(folder: string, root: string, recursive: boolean): void {
    if (this.watchers.has(folder)) return;
    const watcher = watch(folder, { recursive }, (_event, name) => {
      if (name === null) return;
      const path = join(folder, name);
      if (!isExistingFolder(path)) this.note(path, root);
      else if (!recursive) this.appeared(path, root);
    });
    this.watchers.set(folder, watcher);
    watcher.on("error", () => {
      watcher.close();
      this.watchers.delete(folder);
      if (isExistingFolder(folder)) this.poll(folder);
    });
  }

  /** A folder that was not there before: what it holds already has changed too. */
  private appeared(folder: string, root: string): void {
    if (this.watchers.has(folder) || ignored.test(relative(root, folder))) return;
    this.watch(folder, root);
    for (const path of fileTimes(folder).keys()) this.note(path, root);
  }

  private poll(root: string): void {
    let before = fileTimes(root);
    const look = (): void => {
      const now = fileTimes(root);
      for (const path of new Set([...before.keys(), ...now.keys()]))
        if (before.get(path) !== now.get(path)) this.note(path, root);
      before = now;
    };
    this.polls.push(setInterval(look, pollMs));
  }
}

const isExistingFolder = (path: string): boolean =>
  statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;

/** When each file below a folder was changed last, and how long it is. */
function fileTimes(folder: string): Map<string, string> {
  const found = new Map<string, string>();
  const visit = (at: string): void => {
    for (const entry of readdirSync(at, { withFileTypes: true })) {
      const path = join(at, entry.name);
      if (ignored.test(relative(folder, path))) continue;
      if (entry.isDirectory()) visit(path);
      else {
        const info = statSync(path, { throwIfNoEntry: false });
        if (info !== undefined) found.set(path, `${info.mtimeMs} ${info.size}`);
      }
    }
  };
  try {
    visit(folder);
  } catch {
    // A folder went away while it was read: the next look sees what is left.
  }
  return found;
}

/** Never searched: other people's code, and what tools write. */
const skipped = new Set(["node_modules", ".git", ".harn", ".harn-fixtures"]);

/**
 * Those named, and below folders every script that may hold a test. Canonical paths, each once, in order of path within each
 * argument.
 */
export function testFiles(paths: readonly string[], mentionsTests: (text: string) => boolean): string[] {
  const found = new Set<string>();
  for (const path of paths) {
    const info = statSync(path, { throwIfNoEntry: false });
    if (info === undefined)
      throw new UsageError(`Error reading ${path}: no such file or folder`, "HARN-CLI-006");
    if (!info.isDirectory()) found.add(realpathSync(path));
    else
      for (const file of testFilesBelow(path))
        if (mayHoldTests(file, mentionsTests)) found.add(realpathSync(file));
  }
  return [...found];
}

/** Scripts below a folder, sorted; links to folders are not followed, so loops end. */
function testFilesBelow(folder: string): string[] {
  const entries = readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
  return entries.flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return skipped.has(entry.name) ? [] : testFilesBelow(path);
    return entry.name.endsWith(".harn") && (entry.isFile() || isFileLink(path)) ? [path] : [];
  });
}

const isFileLink = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isFile() === true;

function mayHoldTests(file: string, mentionsTests: (text: string) => boolean): boolean {
  const base = file.slice(0, -".harn".length);
  if (existsSync(`${base}.expected`) || existsSync(`${base}.error`)) return true;
  try {
    return mentionsTests(readFileSync(file, "utf8"));
  } catch {
    // Unreadable: the run of this file says so.
    return true;
  }
}
