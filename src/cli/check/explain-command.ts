/** `harn explain CODE`: what a diagnostic means, why it is reported, what to do. */

import { type Code, catalogue, explain, wordsOf } from "../../diagnostics/index.ts";
import { exitCode, print, UsageError } from "../../host/command/index.ts";

export function explainCommand(code: string | undefined): number {
  if (code === undefined) {
    const codes = (Object.keys(catalogue) as Code[]).sort();
    print(`${codes.map((one) => `${one}  ${wordsOf(one).title}`).join("\n")}\n`);
    return exitCode.ok;
  }
  const found = explain(code);
  if (found === undefined)
    throw new UsageError(`there is no code ${code}; \`harn explain\` lists all codes`, "HARN-CLI-003");
  const advice = found.advice === undefined ? "" : `\nhelp: ${found.advice}\n`;
  print(`${found.severity}[${found.code}]: ${found.title}\n\n${found.text}\n${advice}`);
  return exitCode.ok;
}
