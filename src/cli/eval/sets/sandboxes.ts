/**
 * Folders of trials, in the state folder while they are unfinished. Beside each lies what it began with, by digests. A folder is no
 * security boundary; what is read of it afterwards follows no links, because a trial may have made them.
 */
import { createHash } from "node:crypto";
import { cpSync, existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Sandboxes, SandboxFile } from "../../../eval/engine/index.ts";
import type { SandboxFiles, SandboxSpec } from "../../../eval/index.ts";
import { nodeFiles } from "../../../host/index.ts";
import { replaceContent } from "../../../store/files/whole-files.ts";
import type { Store } from "../../../store/index.ts";
import { UsageError } from "../../usage-error.ts";

/** What of one file, and of all files of a trial, is kept. */
const maxFile = 1024 * 1024;
const maxTrial = 10 * 1024 * 1024;
/** More files than this are not looked at. */
const maxFiles = 20_000;

export class NodeSandboxes implements Sandboxes {
  private readonly store: Store;

  constructor(store: Store) {
    this.store = store;
  }

  private folder(run: string): string {
    return join(this.store.folder, "sandboxes", run.replace(/[^\w.~-]/gu, "_"));
  }

  isThere(run: string): boolean {
    return existsSync(this.folder(run)) && existsSync(`${this.folder(run)}.json`);
  }

  place(run: string): string {
    if (this.store.runs.find(run) === undefined) return this.folder(run);
    const { cwd } = this.store.runs.read(run).header;
    return cwd === "" ? this.folder(run) : cwd;
  }

  make(run: string, spec: SandboxSpec, files: SandboxFiles): void {
    const folder = this.folder(run);
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    explained(() => {
      if (spec.copy !== null)
        cpSync(join(spec.base, spec.copy), folder, { recursive: true, verbatimSymlinks: true });
      for (const [path, content] of Object.entries({ ...spec.files, ...files })) {
        const to = join(folder, path);
        mkdirSync(dirname(to), { recursive: true });
        if (typeof content === "string") nodeFiles.write(to, content);
        else cpSync(join(spec.base, content.from), to, { recursive: true, verbatimSymlinks: true });
      }
    });
    replaceContent(`${folder}.json`, JSON.stringify(Object.fromEntries(digestsIn(folder))));
  }

  files(run: string, keep: SandboxSpec["keep"]): readonly SandboxFile[] {
    const folder = this.folder(run);
    const before = new Map(
      Object.entries(JSON.parse(readFileSync(`${folder}.json`, "utf8")) as Record<string, string>),
    );
    const now = digestsIn(folder);
    const found: SandboxFile[] = [];
    let kept = 0;
    for (const [path, digest] of now) {
      if (keep !== "all" && before.get(path) === digest) continue;
      const content = readFileSync(join(folder, path));
      const isKept = keep !== "none" && content.length <= maxFile && kept + content.length <= maxTrial;
      if (isKept) kept += content.length;
      found.push({ path, digest, bytes: content.length, ...(isKept ? contentOf(content) : {}) });
    }
    for (const path of before.keys()) if (!now.has(path)) found.push({ path, digest: null, bytes: 0 });
    return found.sort((a, b) => (a.path < b.path ? -1 : 1));
  }

  rebuild(run: string, spec: SandboxSpec, files: SandboxFiles, left: readonly SandboxFile[]): boolean {
    const isKept = ({ digest, text, base64 }: SandboxFile): boolean =>
      digest === null || text !== undefined || base64 !== undefined;
    if (!left.every(isKept)) return false;
    this.make(run, spec, files);
    const folder = this.folder(run);
    for (const { path, digest, text, base64 } of left) {
      const to = join(folder, path);
      if (digest === null) {
        rmSync(to, { force: true });
        continue;
      }
      mkdirSync(dirname(to), { recursive: true });
      nodeFiles.write(to, base64 === undefined ? (text ?? "") : Buffer.from(base64, "base64"));
    }
    return true;
  }

  remove(run: string): void {
    rmSync(this.folder(run), { recursive: true, force: true });
    rmSync(`${this.folder(run)}.json`, { force: true });
  }
}

/** What can't be copied is a matter of the task. */
function explained(work: () => void): void {
  try {
    work();
  } catch (error) {
    throw new UsageError(`the sandbox can't be made: ${(error as Error).message}`);
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
