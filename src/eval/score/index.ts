/** Scorers: the table, how a script gets one of them, the forms of a score, and how one is run over an outcome. */
import { nearest } from "../../diagnostics/index.ts";
import { NativeCallable, type Task } from "../../interp/index.ts";
import { at, readRows, refusal } from "../../table/index.ts";
import { Dict, List, numberValue, thrown, type Value } from "../../values/index.ts";
import { judgeCalls } from "../plan/index.ts";
import { callScorers } from "./kinds/calls.ts";
import { combinedScorers } from "./kinds/combined.ts";
import { fileScorers } from "./kinds/files.ts";
import { structureScorers } from "./kinds/structures.ts";
import { taskFolderScorers } from "./kinds/task-folders.ts";
import { textScorers } from "./kinds/texts.ts";
import { worldAfterScorers } from "./kinds/world-after.ts";
import { setSampleLook } from "./sample-look.ts";
import type { ScorerKind, ScorerTools } from "./scorer-kind.ts";

export { runSolution } from "./kinds/task-folders.ts";
export { carryOutActions } from "./kinds/world-after.ts";
export { scoreDict, scoredDict, scoreFrom } from "./read-score.ts";
export { runScorer } from "./run-scorer.ts";
export { lookAtSample } from "./sample-look.ts";
export type { ScorerTools } from "./scorer-kind.ts";
export { letterOf } from "./text-forms.ts";

export const scorerKinds: Readonly<Record<string, ScorerKind>> = {
  ...textScorers,
  ...structureScorers,
  ...worldAfterScorers,
  ...callScorers,
  ...combinedScorers,
  ...fileScorers,
  ...taskFolderScorers,
};

/** `{_type: "scorer", name, score, threshold, needs}` of a kind and its arguments, which are checked now. */
export function makeScorer(task: Task, kind: string, input: Value, tools: ScorerTools): Dict {
  const row = Object.hasOwn(scorerKinds, kind) ? scorerKinds[kind] : undefined;
  if (row === undefined) {
    const near = nearest(kind, Object.keys(scorerKinds));
    throw thrown(`there is no scorer ${kind}${near === undefined ? "" : `; did you mean ${near}?`}`);
  }
  if (input !== null && !(input instanceof Dict)) throw refusal(at(kind, "options"), "dict", input);
  const args = readRows(input, row.fields, at(kind)) as { readonly threshold?: number | null };
  row.check?.({ task, tools, args }, at(kind));
  const score = new NativeCallable(kind, ["outcome", "sample"], (caller, [outcome, sample]) =>
    row.score({ task: caller, tools, args, outcome: asDict(outcome), sample: asDict(sample) }),
  );
  setSampleLook(score, (sample) => row.lookAt?.({ args, sample }));
  const calls = judgeCalls(input);
  return Dict.of({
    _type: "scorer",
    name: kind,
    threshold: numberValue(args.threshold ?? row.threshold ?? 1),
    needs: new List([...(row.needs ?? [])]),
    score,
    ...(calls.length === 0 ? {} : { _calls: new List(calls) }),
  });
}

const asDict = (value: unknown): Dict => (value instanceof Dict ? value : new Dict());
