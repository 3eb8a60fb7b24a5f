/** Which program a run is of: a file, a text, or in an executable the one that lies in it. */
import { ownProcess } from "../process/index.ts";
import type { ModuleLoader } from "../resolve/index.ts";
import type { SourceFile } from "../source/index.ts";
import { ownProgram, programIn } from "./built-program.ts";
import { canonicalPath } from "./compile.ts";
import { NodeModuleLoader } from "./node-module-loader.ts";
import { type ProgramText, readProgram } from "./read-program.ts";

export interface ProgramToRun {
  readonly source: SourceFile;
  /** What its imports are relative to. */
  readonly path: string;
  readonly loader: ModuleLoader;
  /** `harn build` has judged it. */
  readonly isChecked: boolean;
}

export function programToRun(file: string | undefined, code: string | undefined): ProgramToRun {
  const own = file === undefined && code === undefined ? ownProgram() : undefined;
  if (own !== undefined) return { ...programIn(ownProcess().cwd(), own), isChecked: true };
  return programOfText(readProgram(file, code));
}

/** Its imports are files. */
export const programOfText = (text: ProgramText): ProgramToRun => ({
  source: text.source,
  path: canonicalPath(text),
  loader: new NodeModuleLoader(),
  isChecked: false,
});
