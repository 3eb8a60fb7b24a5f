/** What the project's manifest has that nothing reads, said before anything runs: by every command that runs programs. */
import type { Diagnostic } from "../diagnostics/index.ts";
import { manifestPath } from "./manifest.ts";

/** Shows findings; true when one of them is an error. */
export type DiagnosticsReport = (diagnostics: readonly Diagnostic[]) => boolean;

/** Whether a bound would be lifted by what is wrong with the manifest above a file; says everything that is wrong. */
export async function refusedManifest(file: string, report: DiagnosticsReport): Promise<boolean> {
  if (manifestPath(file) === undefined) return false;
  const { manifestWarnings } = await import("./manifest-check.ts");
  return report(await manifestWarnings(file));
}

/** The same for several files: each manifest once. */
export async function refusedManifests(
  files: readonly string[],
  report: DiagnosticsReport,
): Promise<boolean> {
  const above = new Map(files.map((file) => [manifestPath(file), file]));
  let refused = false;
  for (const file of above.values()) if (await refusedManifest(file, report)) refused = true;
  return refused;
}
