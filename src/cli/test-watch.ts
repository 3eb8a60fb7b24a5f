/**
 * `harn test --watch`: runs everything once, then what a change touches: the tests whose files were compiled from it,
 * or, for data and templates, the tests of the folder in which it lies. Folders are watched by the operating system;
 * where that is not possible (network file systems, exhausted watches) they are looked at twice a second.
 */
import { type FSWatcher, readdirSync, realpathSync, statSync, watch } from "node:fs";
import { dirname, join, sep } from "node:path";
import type { TestSession } from "./test-command.ts";

/** Editors write a file in several steps. */
const quietMs = 120;
const pollMs = 500;
const ignored = /(^|[\\/])(node_modules|\.git|\.harn|\.harn-fixtures|coverage)([\\/]|$)/;

/** Runs until the process is interrupted. */
export async function watchTests(
  session: TestSession,
  places: readonly string[],
  find: () => string[],
): Promise<never> {
  const inputs = new Map<string, readonly string[]>();
  const run = (files: readonly string[]): Promise<number> =>
    session.run(files, (report) => inputs.set(report.file, report.inputs));
  const changes = new Changes(places);
  await run(find());
  for (;;) {
    process.stdout.write("\nwatching for changes; Ctrl-C ends\n");
    const changed = await changes.next();
    const affected = touched(changed, find(), inputs);
    if (affected.length > 0) await run(affected);
  }
}

/** The test files that have to run again. */
function touched(
  changed: readonly string[],
  files: readonly string[],
  inputs: ReadonlyMap<string, readonly string[]>,
): string[] {
  const known = new Set([...inputs.values()].flat());
  return files.filter((file) => {
    const from = inputs.get(file);
    if (from === undefined) return true;
    return changed.some((path) =>
      known.has(path) ? from.includes(path) : dirname(file) === dirname(path) || isBelow(path, dirname(file)),
    );
  });
}

const isBelow = (path: string, folder: string): boolean => path.startsWith(folder + sep);

/** Changed paths, gathered until nothing has changed for a moment. */
class Changes {
  private readonly changed = new Set<string>();
  private wake: (() => void) | undefined;
  private quiet: NodeJS.Timeout | undefined;

  constructor(places: readonly string[]) {
    for (const place of places) {
      const path = realpathSync(place);
      this.watch(statSync(path).isDirectory() ? path : dirname(path));
    }
  }

  async next(): Promise<readonly string[]> {
    if (this.changed.size === 0)
      await new Promise<void>((resolve) => {
        this.wake = resolve;
      });
    this.wake = undefined;
    const paths = [...this.changed];
    this.changed.clear();
    return paths;
  }

  private note(path: string): void {
    if (ignored.test(path)) return;
    clearTimeout(this.quiet);
    const pending = new Set([...this.pending, path]);
    this.pending = pending;
    this.quiet = setTimeout(() => {
      for (const one of pending) this.changed.add(one);
      this.pending = new Set();
      this.wake?.();
    }, quietMs);
  }
  private pending: ReadonlySet<string> = new Set();

  private watch(folder: string): void {
    let watcher: FSWatcher;
    try {
      watcher = watch(folder, { recursive: true }, (_event, name) => {
        if (name !== null) this.note(join(folder, name));
      });
    } catch {
      this.poll(folder);
      return;
    }
    watcher.on("error", () => {
      watcher.close();
      this.poll(folder);
    });
  }

  private poll(folder: string): void {
    let before = times(folder);
    setInterval(() => {
      const now = times(folder);
      for (const path of new Set([...before.keys(), ...now.keys()]))
        if (before.get(path) !== now.get(path)) this.note(path);
      before = now;
    }, pollMs);
  }
}

/** When each file below a folder was changed last. */
export function times(folder: string): Map<string, number> {
  const found = new Map<string, number>();
  for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
    const path = join(folder, name);
    const info = ignored.test(name) ? undefined : statSync(path, { throwIfNoEntry: false });
    if (info?.isFile() === true) found.set(path, info.mtimeMs + info.size);
  }
  return found;
}
