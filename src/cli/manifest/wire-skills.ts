/** `harn run --skill-dir`: folders of skills that outrank all others. */
import { skillDirs } from "../../agent/index.ts";
import type { Runtime } from "../../interp/index.ts";

export function wireSkills(runtime: Runtime, folders: string): void {
  const state = runtime.state(skillDirs);
  state.cli = folders.split(",").filter((folder) => folder !== "");
}
