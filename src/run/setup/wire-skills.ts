/** `harn run --skill-dir`: folders of skills that outrank all others. */

import type { Runtime } from "../../interp/index.ts";
import { skillDirs } from "../../skills/index.ts";

export function wireSkills(runtime: Runtime, folders: string): void {
  const state = runtime.state(skillDirs);
  state.cli = folders.split(",").filter((folder) => folder !== "");
}
