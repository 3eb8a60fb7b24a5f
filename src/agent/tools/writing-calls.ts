/** Which calls change files, and which files a call names. */
import type { ToolEntry } from "../../model/index.ts";
import type { Dict } from "../../values/index.ts";
import { kindOfTool, sideEffectOf } from "../policy/annotations.ts";
import { pathParams, pathsAt, usualPathKeys } from "../policy/paths.ts";

const writingKinds: ReadonlySet<string> = new Set(["edit", "write", "delete", "move", "scaffold"]);
const outsideKinds: ReadonlySet<string> = new Set(["execute", "run", "command", "fetch", "network"]);

/** Whether a successful call of this tool changes files: commands are none, whatever they do. */
export function writes(entry: ToolEntry | undefined): boolean {
  const annotations = entry?.annotations;
  if (annotations === undefined) return false;
  const kind = kindOfTool(annotations) ?? "";
  if (outsideKinds.has(kind)) return false;
  return writingKinds.has(kind) || sideEffectOf(annotations) === "workspace_write";
}

/** The paths that a call names: those that its tool declares, else those under the usual names. */
export function pathsOf(entry: ToolEntry | undefined, args: Dict): string[] {
  const declared = pathParams(entry?.annotations);
  return pathsAt(args, declared.length > 0 ? declared : usualPathKeys);
}
