/** `harn eval failures`: failed trials by what they have in common. */

import { inEvalStore, storedSet } from "../../eval/local/index.ts";
import { failureGroups, failuresText } from "../../eval/report/index.ts";
import { exitCode, print, reportFigures } from "../../host/command/index.ts";

export function failuresCommand(name: string, flags: { readonly json?: boolean }): number {
  const groups = inEvalStore((store) => failureGroups(storedSet(store, name)));
  if (flags.json === true) reportFigures(groups);
  else print(failuresText(groups));
  return exitCode.ok;
}
