/**
 * Folders of trials, in the state folder while they are unfinished. Beside each lies what it began with, by digests. A folder is no
 * security boundary; what is read of it afterwards follows no links, because a trial may have made them. A trial in a container
 * has the same, in there (`containers/`).
 */
import { createHash } from "node:crypto";
import { cpSync, existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { type ContainedHost, containedHost } from "../../host/containers/index.ts";
import { gateOf, type Host, nodeFiles } from "../../host/index.ts";
import { replaceContent } from "../../store/files/whole-files.ts";
import type { Store } from "../../store/index.ts";
import { refusal } from "../../table/index.ts";
import {
  type PlannedTask,
  type Sandboxes,
  type SandboxFile,
  SandboxProblem,
  type SandboxRequest,
} from "../engine/index.ts";
import { type SandboxFiles, type SandboxSpec, sampleFiles, taskAt } from "../index.ts";
import { TrialContainers, tracesLieIn } from "./trial-containers.ts";

/** What of one file, and of all files of a trial, is kept. */
const maxFile = 1024 * 1024;
const maxTrial = 10 * 1024 * 1024;
/** More files than this are not looked at. */
const maxFiles = 20_000;

const copied = { recursive: true, verbatimSymlinks: true } as const;

export class NodeSandboxes implements Sandboxes {
  private readonly store: Store;
  private readonly host: Host;
  private readonly containers: TrialContainers;
  private readonly travelled: ReadonlyMap<string, string> | undefined;

  constructor(store: Store, host: Host, travelled?: ReadonlyMap<string, string>) {
    this.store = store;
    this.host = host;
    this.travelled = travelled;
    const { processes } = host.own ?? host;
    this.containers = new TrialContainers(tracesLieIn(store.folder), processes, (path) =>
      this.placeOfSource(path),
    );
  }

  /** Whoever sends trials reads no file of this machine by what their sandboxes are made of. */
  private placeOfSource(path: string): string {
    const { travelled } = this;
    const place = travelled === undefined ? path : travelled.get(path);
    if (place === undefined) throw new SandboxProblem(`${path} did not travel with the trial`);
    return place;
  }

  private folder(run: string): string {
    return join(tracesLieIn(this.store.folder), run.replace(/[^\w.~-]/gu, "_"));
  }

  /** The machine as a trial in a container sees it; undefined for trials that work in folders. */
  inside(run: string | undefined, host: Host): ContainedHost | undefined {
    const container = run === undefined ? undefined : this.containers.of(run);
    return container === undefined ? undefined : containedHost(host, container);
  }

  /** Tells whoever opens a run in it when the container is gone. */
  onLost(run: string, listener: () => void): void {
    const container = this.containers.of(run);
    if (container !== undefined) container.onLost = listener;
  }

  async ready(set: string, resumed: readonly string[]): Promise<boolean> {
    const engine = await this.containers.ready(set, resumed);
    if (engine === undefined) return false;
    // Who may start no programs may not have a container start them either.
    gateOf(this.host)?.check({ kind: "process", program: engine, args: [], cwd: this.host.cwd });
    return true;
  }

  isThere(run: string): boolean {
    if (this.containers.isThere(run)) return true;
    return existsSync(this.folder(run)) && existsSync(`${this.folder(run)}.json`);
  }

  place(run: string): string {
    const inside = this.containers.place(run);
    if (inside !== undefined) return inside;
    if (this.store.runs.find(run) === undefined) return this.folder(run);
    const { cwd } = this.store.runs.read(run).header;
    return cwd === "" ? this.folder(run) : cwd;
  }

  lost(run: string): string | null {
    return this.containers.of(run)?.lost ?? null;
  }

  async make(run: string, request: SandboxRequest): Promise<void> {
    const folder = this.folder(run);
    this.fill(folder, request);
    if (request.spec.container === undefined) {
      replaceContent(`${folder}.json`, JSON.stringify(Object.fromEntries(digestsIn(folder))));
      return;
    }
    try {
      await this.containers.make(run, request, folder);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }

  private fill(folder: string, { spec, files }: SandboxRequest): void {
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    explained(() => {
      if (spec.copy !== null) cpSync(this.placeOfSource(resolve(spec.base, spec.copy)), folder, copied);
      for (const [path, content] of Object.entries({ ...spec.files, ...files })) {
        const to = join(folder, path);
        mkdirSync(dirname(to), { recursive: true });
        if (typeof content === "string") nodeFiles.write(to, content);
        else cpSync(this.placeOfSource(resolve(spec.base, content.from)), to, copied);
      }
    });
  }

  async wake(run: string, task: string): Promise<void> {
    if (this.containers.isThere(run)) await this.containers.wake(run, task);
  }

  files(run: string, keep: SandboxSpec["keep"]): SandboxFile[] | Promise<SandboxFile[]> {
    return this.containers.of(run) === undefined ? this.folderFiles(run, keep) : this.innerFiles(run, keep);
  }

  private folderFiles(run: string, keep: SandboxSpec["keep"]): SandboxFile[] {
    const folder = this.folder(run);
    const before = new Map(
      Object.entries(JSON.parse(readFileSync(`${folder}.json`, "utf8")) as Record<string, string>),
    );
    const left = new LeftFiles(before, keep);
    for (const [path, digest] of digestsIn(folder))
      left.add(path, digest, () => readFileSync(join(folder, path)));
    return left.all();
  }

  private async innerFiles(run: string, keep: SandboxSpec["keep"]): Promise<SandboxFile[]> {
    const { before, now } = await this.containers.look(run, maxFile);
    const left = new LeftFiles(before, keep);
    for (const { path, digest, bytes, content } of now.slice(0, maxFiles))
      left.add(path, digest, () => content ?? bytes);
    return left.all();
  }

  async rebuild(run: string, request: SandboxRequest, left: readonly SandboxFile[]): Promise<boolean> {
    const isKept = ({ digest, text, base64 }: SandboxFile): boolean =>
      digest === null || text !== undefined || base64 !== undefined;
    if (!left.every(isKept)) return false;
    await this.make(run, request);
    const folder = this.folder(run);
    for (const { path, digest, text, base64 } of left) {
      const content = base64 === undefined ? Buffer.from(text ?? "", "utf8") : Buffer.from(base64, "base64");
      if (request.spec.container !== undefined) {
        this.containers.put(run, path, digest === null ? null : content);
        continue;
      }
      const to = join(folder, path);
      if (digest === null) {
        rmSync(to, { force: true });
        continue;
      }
      mkdirSync(dirname(to), { recursive: true });
      nodeFiles.write(to, content);
    }
    return true;
  }

  async rest(run: string): Promise<void> {
    await this.containers.rest(run);
  }

  async remove(run: string): Promise<void> {
    this.removeFolder(run);
    await this.containers.remove(run);
  }

  removeFolder(run: string): void {
    rmSync(this.folder(run), { recursive: true, force: true });
    rmSync(`${this.folder(run)}.json`, { force: true });
  }
}

/** What is otherwise than at the beginning, as far as it is kept. */
class LeftFiles {
  private readonly before: ReadonlyMap<string, string>;
  private readonly keep: SandboxSpec["keep"];
  private readonly found: SandboxFile[] = [];
  private readonly seen = new Set<string>();
  private kept = 0;

  constructor(before: ReadonlyMap<string, string>, keep: SandboxSpec["keep"]) {
    this.before = before;
    this.keep = keep;
  }

  /** `content`: what is in it, or how much where that is too much to be kept. */
  add(path: string, digest: string, content: () => Buffer | number): void {
    this.seen.add(path);
    if (this.keep !== "all" && this.before.get(path) === digest) return;
    const bytesOrSize = content();
    const bytes = typeof bytesOrSize === "number" ? bytesOrSize : bytesOrSize.length;
    const isKept =
      typeof bytesOrSize !== "number" &&
      this.keep !== "none" &&
      bytes <= maxFile &&
      this.kept + bytes <= maxTrial;
    if (isKept) this.kept += bytes;
    this.found.push({ path, digest, bytes, ...(isKept ? contentOf(bytesOrSize) : {}) });
  }

  /** With those that are gone. */
  all(): SandboxFile[] {
    for (const path of this.before.keys())
      if (!this.seen.has(path)) this.found.push({ path, digest: null, bytes: 0 });
    return this.found.sort((a, b) => (a.path < b.path ? -1 : 1));
  }
}

/** What can't be copied is an error of the trial's environment. */
function explained(work: () => void): void {
  try {
    work();
  } catch (error) {
    throw new SandboxProblem(`the sandbox can't be made: ${(error as Error).message}`);
  }
}

/** What trials are to begin with, and is not there, is said before any is run. Throws HARN-EVL-001. */
export function checkSandboxSources(tasks: readonly PlannedTask[]): void {
  const checked = new Set<string>();
  for (const { spec: task, samples } of tasks) {
    const { name, sandbox } = task;
    if (sandbox === null) continue;
    const check = (path: string, field: string): void => {
      const whole = resolve(sandbox.base, path);
      if (checked.has(whole)) return;
      checked.add(whole);
      if (!existsSync(whole))
        throw refusal(taskAt(name, field), "the path of something that there is", path, {
          help: `looked for at ${whole}`,
        });
    };
    const checkFiles = (files: SandboxFiles, field: string): void => {
      for (const [to, content] of Object.entries(files))
        if (typeof content !== "string") check(content.from, `${field}.${to}.from`);
    };
    if (sandbox.copy !== null) check(sandbox.copy, "sandbox.copy");
    checkFiles(sandbox.files, "sandbox.files");
    for (const { id, body } of samples) {
      const field = `files of ${id}`;
      checkFiles(sampleFiles(body.get("files"), taskAt(name, field)), field);
    }
  }
}

const contentOf = (content: Buffer): Pick<SandboxFile, "text" | "base64"> => {
  const text = content.toString("utf8");
  return Buffer.from(text, "utf8").equals(content) ? { text } : { base64: content.toString("base64") };
};

/** Regular files by their path, with their digests; links are not followed. */
function digestsIn(folder: string): Map<string, string> {
  const found = new Map<string, string>();
  const walk = (under: string): void => {
    for (const name of readdirSync(join(folder, under)).sort()) {
      const path = under === "" ? name : `${under}/${name}`;
      const info = lstatSync(join(folder, path));
      if (info.isDirectory()) walk(path);
      else if (info.isFile() && found.size < maxFiles)
        found.set(
          path,
          createHash("sha256")
            .update(readFileSync(join(folder, path)))
            .digest("hex"),
        );
    }
  };
  walk("");
  return found;
}
