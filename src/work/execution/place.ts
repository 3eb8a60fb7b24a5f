/** A place to work: made as `execution` wants it, used by one worker or sub-agent, cleaned up after it. */
import { shape } from "../../effects/index.ts";
import { type Task, type Workspace, workingFolder } from "../../interp/index.ts";
import { Dict, thrown, type Value } from "../../values/index.ts";
import type { ExecutionOption } from "../fields/shared-fields.ts";
import { makeWorktree, removeWorktree, under, type Worktree } from "./worktree.ts";

export interface WorkPlace {
  readonly workspace: Workspace;
  readonly worktree: Worktree | null;
  /** Its worktree was removed: whoever goes on needs another. */
  isGone: boolean;
}

/** `id` names the branch when nobody else does. */
export async function openPlace(
  task: Task,
  option: ExecutionOption,
  id: string,
  caller: string,
): Promise<WorkPlace> {
  const base = workingFolder(task);
  const worktree =
    option.worktree === null ? null : await makeWorktree(task, option.worktree, base, id, caller);
  const root = worktree?.path ?? base;
  const cwd = option.cwd === null ? root : under(root, option.cwd);
  await mustBeFolder(task, cwd, caller);
  return { workspace: { cwd, env: option.env }, worktree, isGone: false };
}

/** After the last cycle. A worktree that is to be preserved stays. */
export async function closePlace(task: Task, place: WorkPlace): Promise<void> {
  const { worktree } = place;
  if (worktree?.cleanup === "remove") place.isGone = await removeWorktree(task, worktree);
}

/** As handles and results show it. */
export function placeDict(place: WorkPlace | null): Dict {
  if (place === null) return Dict.of({ cwd: null, env: new Dict(), worktree: null });
  const { workspace, worktree } = place;
  const shown =
    worktree === null
      ? null
      : Dict.of({
          repo: worktree.repo,
          path: worktree.path,
          branch: worktree.branch,
          base_ref: worktree.baseRef,
          cleanup: worktree.cleanup,
        });
  const env = Dict.from(Object.entries(workspace.env) as [string, Value][]);
  return Dict.of({ cwd: workspace.cwd, env, worktree: shown });
}

async function mustBeFolder(task: Task, cwd: string, caller: string): Promise<void> {
  const kind = await task.perform<string>({
    effect: "observe",
    kind: "worker.cwd",
    args: () => cwd,
    run: () => task.runtime.host.files.stat(cwd)?.kind ?? "nothing",
    result: shape.text,
  });
  if (kind !== "dir") throw thrown(`${caller}: execution.cwd: there is no folder ${cwd}`);
}
