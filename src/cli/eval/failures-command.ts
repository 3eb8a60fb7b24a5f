/** `harn eval failures`: failed trials by what they have in common. */
import { failureGroups, failuresText } from "../../eval/report/index.ts";
import { exitCode } from "../exit-codes.ts";
import { print, reportFigures } from "../report.ts";
import { inEvalStore, storedSet } from "./stored-sets.ts";

export function failuresCommand(name: string, flags: { readonly json?: boolean }): number {
  const groups = inEvalStore((store) => failureGroups(storedSet(store, name)));
  if (flags.json === true) reportFigures(groups);
  else print(failuresText(groups));
  return exitCode.ok;
}
