/** Files in memory, for tests and hermetic runs; a folder of the disk may show through until it is written over. */
import { utf8Text } from "../../values/index.ts";
import { systemError } from "../node/os-errors.ts";
import { type Clock, type FileInfo, type Files, HostError } from "../ports.ts";

type MemoryEntry = { kind: "dir" } | { kind: "file"; data: Uint8Array; modified: number; mode: number };

/** A folder of the real disk that shows through: read when first looked at, never written. */
export interface BaseFolder {
  readonly files: Files;
  /** Absolute, without links. */
  readonly root: string;
}

/** Files in memory under POSIX paths; `/` and the given working directory exist. */
export class MemoryFiles implements Files {
  readonly entries = new Map<string, MemoryEntry>([["/", { kind: "dir" }]]);
  /** Paths whose access fails with the given code, such as `EACCES` or `ENOSPC`. */
  readonly failing = new Map<string, string>();
  private readonly clock: Clock;
  private readonly base: BaseFolder | undefined;
  /** Paths that do not show through any more: removed, or written over. */
  private readonly hidden = new Set<string>();
  private temporary = 0;

  constructor(clock: Clock, files: Readonly<Record<string, string | Uint8Array>> = {}, base?: BaseFolder) {
    this.clock = clock;
    this.base = base;
    if (base !== undefined) this.makeDir(base.root);
    for (const [path, data] of Object.entries(files)) {
      this.makeDir(memoryParent(path));
      this.write(path, data);
    }
  }

  readText(path: string): string {
    const text = utf8Text(this.readBytes(path));
    if (text === undefined) throw new HostError("EILSEQ", "stream did not contain valid UTF-8");
    return text;
  }
  readBytes(path: string): Uint8Array {
    const entry = this.need(path);
    if (entry.kind === "dir") throw systemError("EISDIR");
    return entry.data;
  }
  readInto(path: string, offset: number, buffer: Uint8Array): number {
    const data = this.readBytes(path).subarray(offset, offset + buffer.length);
    buffer.set(data);
    return data.length;
  }
  write(path: string, data: string | Uint8Array, mode?: number): void {
    this.check(path);
    const parent = this.find(memoryParent(path));
    if (parent === undefined) throw systemError("ENOENT");
    if (parent.kind !== "dir") throw systemError("ENOTDIR");
    const old = this.find(normalPath(path));
    if (old?.kind === "dir") throw systemError("EISDIR");
    this.entries.set(normalPath(path), {
      kind: "file",
      data: bytesOf(data),
      modified: this.clock.now(),
      mode: mode ?? old?.mode ?? 0o644,
    });
  }
  append(path: string, data: string | Uint8Array, mode?: number): void {
    const old = this.find(normalPath(path));
    if (old?.kind !== "file") {
      this.write(path, data, mode);
      return;
    }
    const more = bytesOf(data);
    const joined = new Uint8Array(old.data.length + more.length);
    joined.set(old.data);
    joined.set(more, old.data.length);
    this.write(path, joined);
  }
  stat(path: string): FileInfo | undefined {
    this.check(path);
    const entry = this.find(normalPath(path));
    if (entry === undefined) return undefined;
    const time = entry.kind === "file" ? entry.modified : this.clock.now();
    return {
      kind: entry.kind,
      size: entry.kind === "file" ? entry.data.length : 0,
      mode: entry.kind === "file" ? entry.mode : 0o755,
      modified: time,
      created: time,
      accessed: time,
    };
  }
  list(path: string): { name: string; kind: FileInfo["kind"] }[] {
    if (this.need(path).kind !== "dir") throw systemError("ENOTDIR");
    this.fetchChildren(normalPath(path));
    const base = normalPath(path) === "/" ? "/" : `${normalPath(path)}/`;
    const found: { name: string; kind: FileInfo["kind"] }[] = [];
    for (const [other, entry] of this.entries) {
      if (other === "/" || !other.startsWith(base)) continue;
      const name = other.slice(base.length);
      if (name !== "" && !name.includes("/")) found.push({ name, kind: entry.kind });
    }
    return found;
  }
  makeDir(path: string): void {
    this.check(path);
    let at = "";
    for (const part of normalPath(path).split("/").filter(Boolean)) {
      at += `/${part}`;
      const entry = this.find(at);
      if (entry === undefined) this.entries.set(at, { kind: "dir" });
      else if (entry.kind !== "dir") throw systemError(at === normalPath(path) ? "EEXIST" : "ENOTDIR");
    }
  }
  remove(path: string): void {
    this.need(path);
    this.hidden.add(normalPath(path));
    for (const other of [...this.entries.keys()]) {
      if (other === normalPath(path) || other.startsWith(`${normalPath(path)}/`)) this.entries.delete(other);
    }
  }
  copy(from: string, to: string): void {
    this.write(to, this.readBytes(from));
  }
  rename(from: string, to: string): void {
    if (this.need(from).kind === "dir") this.fetchTree(normalPath(from));
    if (this.find(memoryParent(to)) === undefined) throw systemError("ENOENT");
    this.hidden.add(normalPath(from));
    for (const [other, entry] of [...this.entries]) {
      if (other !== normalPath(from) && !other.startsWith(`${normalPath(from)}/`)) continue;
      this.entries.delete(other);
      this.entries.set(normalPath(to) + other.slice(normalPath(from).length), entry);
    }
  }
  makeTempDir(prefix: string): string {
    this.temporary += 1;
    const path = `${prefix}${String(this.temporary).padStart(6, "0")}`;
    this.makeDir(path);
    return path;
  }
  realPath(path: string): string {
    this.need(path);
    return normalPath(path);
  }

  private need(path: string): MemoryEntry {
    this.check(path);
    const entry = this.find(normalPath(path));
    if (entry === undefined) throw systemError("ENOENT");
    return entry;
  }

  /** What is in memory, else what shows through, which is in memory from then on. */
  private find(path: string): MemoryEntry | undefined {
    const known = this.entries.get(path);
    if (known !== undefined) return known;
    const { base } = this;
    if (base === undefined || !path.startsWith(`${base.root}/`) || this.isHidden(path)) return undefined;
    const info = base.files.stat(path);
    if (info?.kind !== "dir" && info?.kind !== "file") return undefined;
    if (this.find(memoryParent(path)) === undefined) return undefined;
    const entry: MemoryEntry =
      info.kind === "dir"
        ? { kind: "dir" }
        : { kind: "file", data: base.files.readBytes(path), modified: this.clock.now(), mode: info.mode };
    this.entries.set(path, entry);
    return entry;
  }

  private isHidden(path: string): boolean {
    for (let at = path; at !== "/"; at = memoryParent(at)) if (this.hidden.has(at)) return true;
    return false;
  }

  private fetchChildren(path: string): void {
    const { base } = this;
    if (
      base === undefined ||
      this.isHidden(path) ||
      !(path === base.root || path.startsWith(`${base.root}/`))
    )
      return;
    if (base.files.stat(path)?.kind !== "dir") return;
    for (const { name } of base.files.list(path)) this.find(`${path}/${name}`);
  }

  private fetchTree(path: string): void {
    for (const { name, kind } of this.list(path)) if (kind === "dir") this.fetchTree(`${path}/${name}`);
  }

  private check(path: string): void {
    const code = this.failing.get(normalPath(path));
    if (code !== undefined) throw systemError(code);
  }
}

/** Folds `.`, `..` and double slashes. */
function normalPath(path: string): string {
  const parts: string[] = [];
  for (const part of path.split("/")) {
    if (part === "..") parts.pop();
    else if (part !== "" && part !== ".") parts.push(part);
  }
  return `/${parts.join("/")}`;
}

function memoryParent(path: string): string {
  return normalPath(`${path}/..`);
}

function bytesOf(data: string | Uint8Array): Uint8Array {
  return typeof data === "string" ? new TextEncoder().encode(data) : data;
}
