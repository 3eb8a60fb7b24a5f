/** What a task is tested with, which its trial has not seen: from beside the script into the sandbox. */
import { shape } from "../../../effects/index.ts";
import { type Files, HostError, machineOfProgram, machineOfRuntime } from "../../../host/index.ts";
import type { Task } from "../../../interp/index.ts";
import { runtimeError } from "../../../values/index.ts";
import { evalRegistry, scoringContext, taskBase } from "../../plan/index.ts";

export interface CopyIn {
  /** Who copies, for messages. */
  readonly who: string;
  /** Relative to the script, without `..`. */
  readonly from: string;
  /** Absolute path in the sandbox: what lies there is removed first. */
  readonly to: string;
}

/** A file or folder; recorded, so a replay reads nothing. */
export async function copyIn(task: Task, { who, from, to }: CopyIn): Promise<void> {
  const problem = await task.perform<string | null>({
    effect: "write",
    kind: "eval.copy_tests",
    args: () => ({ copy: from }),
    run: () => {
      const { host } = task.runtime;
      const { files } = host;
      try {
        if (files.stat(to) !== undefined) files.remove(to);
        const path = besideScript(task, from);
        const place = task.runtime.state(scoringContext).placeOf(path);
        if (place === undefined) copyTree(machineOfProgram(host).files, path, files, to);
        // Among the runtime's own files, which the program has no business with.
        else copyTree(machineOfRuntime(host).files, place, files, to);
        return null;
      } catch (error) {
        if (error instanceof HostError) return error.message;
        throw error;
      }
    },
    result: shape.orNull(shape.text),
  });
  if (problem !== null) throw runtimeError(`${who}: ${from} can't be copied: ${problem}`);
}

function besideScript(task: Task, path: string): string {
  const { task: name } = task.runtime.state(scoringContext);
  const spec = name === null ? undefined : task.runtime.state(evalRegistry).tasks.get(name)?.spec;
  const base = spec === undefined ? "" : taskBase(spec);
  if (path.startsWith("/")) return path;
  return `${base === "" ? task.runtime.host.cwd : base}/${path}`;
}

/** A file, or a folder with everything in it but links. */
function copyTree(source: Files, from: string, target: Files, to: string): void {
  const info = source.stat(from);
  if (info?.kind !== "dir") {
    target.makeDir(to.replace(/\/[^/]*$/u, "") || "/");
    if (source === target) source.copy(from, to);
    else target.write(to, source.readBytes(from), info?.mode);
    return;
  }
  target.makeDir(to);
  for (const { name, kind } of source.list(from))
    if (kind === "dir" || kind === "file") copyTree(source, `${from}/${name}`, target, `${to}/${name}`);
}
