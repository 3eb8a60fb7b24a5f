/**
 * A run as a file that can be carried elsewhere: its journal as JSON lines, closed by a seal.
 *
 *   paths     the folders that a run speaks of (its project, the standard library) are named roots; a name under one is
 *             written `{project}/x.harn` and mapped to where that root lies here. Nothing may lie outside its roots. What
 *             was recorded speaks of the folders of this machine when it is read (`relocation.ts`).
 *   digest    SHA-256 of everything before the seal: an edited file is refused
 *   mac       the same with a key of this user: says that this user, here, wrote the file
 *   grants    do not travel: `--allow` has to be given again where a run goes on
 */
import { createHash, createHmac, randomBytes } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join, resolve, sep } from "node:path";
import { type Journal, JournalProblem, type JournalRecord, type RunHeader } from "../effects/index.ts";
import { ownPath, ownProcess } from "../process/index.ts";
import { sha256 } from "./checked-text.ts";
import { makeFolders } from "./folders.ts";
import { createJournalFile, fileTrouble, parseJournal } from "./journal-file.ts";
import { type Moves, relocated } from "./relocation.ts";
import type { Runs } from "./runs.ts";

/** Says that what it stands beside was not changed. */
interface SealMarks {
  readonly digest: string;
  readonly mac: string;
  /** Which key made it: a hash of it. */
  readonly key: string;
}

interface Seal extends SealMarks {
  readonly t: "seal";
}

/** Named folders, longest path first when they are looked for. */
export type SnapshotRoots = Readonly<Record<string, string>>;

/** Writes a run to a file, without what is damaged of it, which is named: lines for people. */
export function writeSnapshot(runs: Runs, name: string, file: string, roots: SnapshotRoots): string[] {
  const { journal, damage } = runs.readable(name);
  const missing = damage === undefined ? [] : [damage.message, ...damage.details];
  const outward = new Outward(roots);
  const writer = createJournalFile(file);
  writer.append(outward.header(journal.header));
  for (const { hash, value } of runs.blobs(name)) {
    if (value !== undefined) writer.append({ t: "blob", hash, v: value });
    else missing.push(`the piece ${hash.slice(0, 12)}… is damaged: it is not what was written`);
  }
  for (const record of journal.records) writer.append(outward.record(record));
  if (journal.shown !== undefined) writer.append({ t: "shown", w: journal.shown });
  writer.flush();
  const text = readFileSync(file);
  writer.append({ t: "seal", ...sealOf(text) } as unknown as JournalRecord);
  writer.close();
  return missing;
}

export function sealOf(text: Buffer): SealMarks {
  const key = userKey();
  return {
    digest: createHash("sha256").update(text).digest("hex"),
    mac: createHmac("sha256", key).update(text).digest("hex"),
    key: createHash("sha256").update(key).digest("hex").slice(0, 16),
  };
}

/** The key of this user on this machine; made when first needed. */
function userKey(): Buffer {
  const base = ownProcess().env.XDG_STATE_HOME ?? join(homedir(), ".local", "state");
  const file = join(base, "harn", "snapshot.key");
  if (existsSync(file)) return readFileSync(file);
  makeFolders(dirname(file));
  const key = randomBytes(32);
  writeFileSync(file, key, { mode: 0o600 });
  return key;
}

/** Reads what `writeSnapshot` or `harn run --record` wrote. Throws a `JournalProblem`. */
export function readSnapshot(file: string, roots: SnapshotRoots): Journal {
  let bytes: Buffer;
  try {
    bytes = readFileSync(ownPath(file));
  } catch (error) {
    throw new JournalProblem("unreadable", `cannot read ${file}: ${fileTrouble(error)}`);
  }
  const journal = parseJournal(bytes.toString("utf8"), file);
  const last = journal.records.at(-1) as JournalRecord | Seal | undefined;
  if (last?.t !== "seal") {
    // A recording that was broken off has no seal; its lines have their checksums.
    return new Inward(file, roots).journal(journal);
  }
  const end = bytes.lastIndexOf("\n", bytes.length - 2) + 1;
  check(file, bytes.subarray(0, end), last);
  return new Inward(file, roots).journal({ ...journal, records: journal.records.slice(0, -1) });
}

/** Whether the seal is that of the text; of this user's own key its `mac` must be, too. */
export function isSealed(text: Buffer, seal: SealMarks): boolean {
  const own = sealOf(text);
  return own.digest === seal.digest && (own.key !== seal.key || own.mac === seal.mac);
}

function check(file: string, text: Buffer, seal: Seal): void {
  if (isSealed(text, seal)) return;
  throw new JournalProblem("unreadable", `${file}: the snapshot was changed after it was written`, [
    "its digest does not match what it holds; export the run once more",
  ]);
}

/** The root of all folders names no folder: it begins every path. */
export const isFolderPath = (path: unknown): path is string =>
  typeof path === "string" && path.startsWith(sep) && path !== sep;

const rootName = /^\{([a-z][a-z0-9_-]*)\}(?:\/(.*))?$/s;

/** Paths of this machine as names under roots. */
export class Outward {
  private readonly roots: readonly (readonly [string, string])[];
  /** Folders outside of all roots have one of their own. */
  readonly more = new Map<string, string>();

  constructor(roots: SnapshotRoots) {
    this.roots = Object.entries(roots).sort(([, a], [, b]) => b.length - a.length);
  }

  header(header: RunHeader): RunHeader {
    const options = header.options as { readonly [name: string]: unknown } | null;
    const { allow: _grants, ...kept } = { ...options };
    return {
      ...header,
      entry: this.path(header.entry),
      cwd: this.path(header.cwd),
      options: kept as RunHeader["options"],
      roots: Object.fromEntries(this.roots),
    };
  }

  record(record: JournalRecord): JournalRecord {
    return recordAt(record, (path) => this.path(path));
  }

  path(path: string): string {
    if (!path.startsWith(sep)) return path;
    for (const [name, folder] of this.roots) {
      if (path === folder) return `{${name}}`;
      if (path.startsWith(asPrefix(folder))) return `{${name}}/${path.slice(asPrefix(folder).length)}`;
    }
    const folder = dirname(path);
    // The same in every file, and another one for every folder.
    const name = `folder-${sha256(folder).slice(0, 8)}`;
    this.more.set(name, folder);
    return `{${name}}/${path.slice(asPrefix(folder).length)}`;
  }
}

/** What paths in a folder begin with, also in the topmost one. */
const asPrefix = (folder: string): string => (folder.endsWith(sep) ? folder : folder + sep);

/** The same record with its paths elsewhere. */
export function recordAt(record: JournalRecord, place: (path: string) => string): JournalRecord {
  if (record.t === "source") return { ...record, name: place(record.name) };
  if (record.t !== "module") return record;
  return { ...record, from: place(record.from), name: place(record.name) };
}

/** Folders that both sides name and that lie elsewhere here. */
export function movesBetween(then: SnapshotRoots, now: SnapshotRoots): Moves {
  return Object.entries(then).flatMap(([name, from]) => {
    const to = Object.hasOwn(now, name) ? now[name] : undefined;
    return to === undefined || to === from || !isFolderPath(from) ? [] : [[from, to] as const];
  });
}

/** A root that is not named here lies with what was imported. */
export const rootHere = (name: string, roots: SnapshotRoots): string =>
  roots[name] ?? join(roots.project ?? ".", ".harn", "imported", name);

/** Names under roots as paths of this machine. */
export class Inward {
  private readonly file: string;
  private readonly roots: SnapshotRoots;
  constructor(file: string, roots: SnapshotRoots) {
    this.file = file;
    this.roots = roots;
  }

  journal(journal: Journal): Journal {
    const { roots: then = {}, ...header } = journal.header;
    const placed = {
      ...journal,
      header: { ...header, entry: this.path(header.entry), cwd: this.path(header.cwd) },
      records: journal.records.map((record) => recordAt(record, (path) => this.path(path))),
    };
    return relocated(placed, movesBetween(then, this.roots));
  }

  path(path: string): string {
    const named = rootName.exec(path);
    if (named === null) return path;
    const [, name = "", rest = ""] = named;
    const folder = rootHere(name, this.roots);
    const full = resolve(folder, rest);
    if (full === folder || full.startsWith(asPrefix(folder))) return full;
    throw new JournalProblem(
      "unreadable",
      `${this.file}: the snapshot carries a path outside its roots: ${path}`,
      ["it was made by hand, or changed; nothing of it was taken over"],
    );
  }
}
