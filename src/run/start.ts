/** `harn run`: a program from its beginning, or with `--resume` from where it was. */
import { programToRun } from "../program/index.ts";
import { beginProgram } from "./begin-run.ts";
import type { RunFlags } from "./setup/run-flags.ts";
import type { Surroundings } from "./setup/surroundings.ts";

export async function runScriptCommand(
  file: string | undefined,
  args: readonly string[],
  flags: RunFlags,
  surroundings?: Surroundings,
): Promise<number> {
  if (flags.resume === undefined)
    return await beginProgram(programToRun(file, flags.eval), args, flags, surroundings);
  const { resumeCommand } = await import("./resume.ts");
  return await resumeCommand(flags.resume, file, args, flags, surroundings);
}
