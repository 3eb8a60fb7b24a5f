/** What `harn check` finds in a script. */
import { byFile, type Diagnostic, judgedByCheck } from "../../diagnostics/index.ts";
import { canonicalPath, checkTypes, compile, NodeModuleLoader, readProgram } from "../../program/index.ts";
import { lintForCheck } from "../../tools/local/index.ts";

export async function scriptFindings(path: string, strict: boolean): Promise<Diagnostic[]> {
  const text = readProgram(path, undefined);
  const compiled = await compile(text.source, canonicalPath(text), new NodeModuleLoader());
  const { diagnostics, preflight } = await checkTypes(compiled, strict, true);
  const lint = await lintForCheck(text, compiled);
  return byFile([...diagnostics.map(judgedByCheck), ...preflight, ...lint], text.source);
}
