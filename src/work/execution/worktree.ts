/**
 * Working copies of a git repository for workers that change files apart from each other (agents.md §17.3). A copy that lies
 * there already is used again: a worker that goes on, also in another process, finds its files as it left them.
 */

import { type ResultOf, shape } from "../../effects/index.ts";
import { HostError, type ProcessResult } from "../../host/index.ts";
import type { Task } from "../../interp/index.ts";
import { notifyPerson } from "../../interp/index.ts";
import { type ScriptError, thrown } from "../../values/index.ts";
import type { WorktreeOption } from "../fields/shared-fields.ts";

const worktreeShape = shape.record({
  /** The repository's own folder. */

  repo: shape.text,
  path: shape.text,
  branch: shape.text,
  baseRef: shape.text,
  cleanup: shape.oneOf("preserve", "remove"),
});
export type Worktree = ResultOf<typeof worktreeShape>;

export const under = (folder: string, path: string): string =>
  path.startsWith("/") ? path : path === "." ? folder : `${folder}/${path}`;

const kind = "worker.worktree";
const patience = 120_000;

/** Makes the copy, on a branch that begins at `base_ref`. */
export async function makeWorktree(
  task: Task,
  option: WorktreeOption,
  base: string,
  id: string,
  caller: string,
): Promise<Worktree> {
  const branch = option.branch ?? `harn-${id}`;
  const asked = { ...option, repo: under(base, option.repo), branch };
  return await task.perform<Worktree>({
    effect: "write",
    kind,
    inDoubt: "repeat",
    args: () => ({ repo: asked.repo, path: asked.path, branch, base_ref: asked.baseRef }),
    run: (signal) => addWorktree(new Git(task, signal, caller), asked, base),
    result: worktreeShape,
  });
}

async function addWorktree(
  git: Git,
  asked: WorktreeOption & { readonly branch: string },
  base: string,
): Promise<Worktree> {
  const { branch, baseRef, cleanup } = asked;
  const repo = await git.top(asked.repo);
  if (repo === undefined) throw git.error(`${asked.repo} is no git repository`);
  const path =
    asked.path === null ? `${repo}/.harn/worktrees/${folderName(branch)}` : under(base, asked.path);
  const made = { repo, path, branch, baseRef, cleanup };
  if (git.isThere(path)) {
    if ((await git.top(path)) === git.realPath(path)) return made;
    throw git.error(`${path} is there already, and is no worktree`);
  }
  await git.run(repo, ["worktree", "add", "-B", branch, "--", path, baseRef]);
  return made;
}

/** Removes the copy; its branch stays. One with changes that nobody has committed stays as well: false, and a line says so. */
export async function removeWorktree(task: Task, { repo, path }: Worktree): Promise<boolean> {
  const kept = await task.perform<string | null>({
    effect: "write",
    kind,
    inDoubt: "repeat",
    args: () => ({ repo, remove: path }),
    run: (signal) => removeWorkFolder(new Git(task, signal, "worktree"), repo, path),
    result: shape.orNull(shape.text),
  });
  if (kept !== null) notifyPerson(task.runtime, `warning: the worktree ${path} is kept: ${kept}\n`);
  return kept === null;
}

async function removeWorkFolder(git: Git, repo: string, path: string): Promise<string | null> {
  if (!git.isThere(path)) return null;
  const { status, stderr } = await git.ask(repo, ["worktree", "remove", "--", path]);
  if (status === 0) return null;
  return stderr.includes("modified or untracked files")
    ? "it has changes that are not committed"
    : lastLine(stderr);
}

/** A branch as one name in a path: `a/b` would be a folder in a folder. */
const folderName = (branch: string): string => branch.replace(/[^A-Za-z0-9._-]+/g, "-");

const lastLine = (text: string): string =>
  text
    .trim()
    .split("\n")
    .at(-1)
    ?.replace(/^fatal: /, "") ?? "git failed";

class Git {
  private readonly task: Task;
  private readonly signal: AbortSignal;
  private readonly caller: string;
  constructor(task: Task, signal: AbortSignal, caller: string) {
    this.task = task;
    this.signal = signal;
    this.caller = caller;
  }

  error(what: string): ScriptError {
    return thrown(`${this.caller}: execution.worktree: ${what}`);
  }

  isThere(path: string): boolean {
    return this.task.runtime.host.files.stat(path) !== undefined;
  }

  realPath(path: string): string {
    return this.task.runtime.host.files.realPath(path);
  }

  /** The folder of the working copy that a folder is part of. */
  async top(folder: string): Promise<string | undefined> {
    if (!this.isThere(folder)) return undefined;
    const { status, stdout } = await this.ask(folder, ["rev-parse", "--show-toplevel"]);
    return status === 0 ? stdout.trim() : undefined;
  }

  async run(folder: string, words: readonly string[]): Promise<void> {
    const { status, stderr } = await this.ask(folder, words);
    if (status !== 0) throw this.error(lastLine(stderr));
  }

  async ask(folder: string, words: readonly string[]): Promise<ProcessResult> {
    const { processes, cwd } = this.task.runtime.host;
    try {
      return await processes.run("git", ["-C", folder, ...words], {
        cwd,
        timeoutMs: patience,
        signal: this.signal,
      });
    } catch (error) {
      if (error instanceof HostError) throw this.error(`git can't be run: ${error.message}`);
      throw error;
    }
  }
}
