/** `harn explain CODE`: what a diagnostic means, why it is reported, what to do. */

import { catalogue, explain } from "../../diagnostics/index.ts";
import { exitCode, print, UsageError } from "../../host/command/index.ts";

export function explainCommand(code: string | undefined): number {
  if (code === undefined) {
    print(`${Object.keys(catalogue).sort().join("\n")}\n`);
    return exitCode.ok;
  }
  const found = explain(code);
  if (found === undefined) throw new UsageError(`there is no code ${code}; \`harn explain\` lists all codes`);
  print(`${found.severity}[${found.code}]\n\n${found.text}\n`);
  return exitCode.ok;
}
