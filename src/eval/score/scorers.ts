/** The table of scorers, and how a script gets one of them. */

import { nearest } from "../../diagnostics/index.ts";
import { NativeCallable, type Task } from "../../interp/index.ts";
import { checkNames, FieldReader, refusal } from "../../table/index.ts";
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
  if (input !== null && !(input instanceof Dict))
    throw refusal({ caller: kind, path: "options" }, "dict", input);
  const args = input ?? new Dict();
  checkNames(task, kind, args, row.fields);
  const read = new FieldReader(kind, args, row.fields);
  row.check?.({ task, tools, args: read });
  const score = new NativeCallable(kind, ["outcome", "sample"], (caller, [outcome, sample]) =>
    row.score({ task: caller, tools, args: read, outcome: asDict(outcome), sample: asDict(sample) }),
  );
  setSampleLook(score, (sample) => row.lookAt?.({ args: read, sample }));
  const threshold = row.fields.get("threshold") === undefined ? undefined : read.number("threshold");
  const calls = judgeCalls(args);
  return Dict.of({
    _type: "scorer",
    name: kind,
    threshold: numberValue(threshold ?? row.threshold ?? 1),
    needs: new List([...(row.needs ?? [])]),
    score,
    ...(calls.length === 0 ? {} : { _calls: new List(calls) }),
  });
}

const asDict = (value: unknown): Dict => (value instanceof Dict ? value : new Dict());
