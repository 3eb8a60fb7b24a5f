/**
 * Checkpoints (builtins.md §2.17) belong to a run: a fresh run starts without any, a resumed one has them again because
 * its journal is played back. So they are Runtime state; the project's ledger has those of the run of a program that changed
 * its own last, and the file `checkpoints/PROGRAM.json` shows them to people.
 */

import { checkpointRecords, type EmbeddedLedger } from "../../durable/index.ts";
import { type Json, shape } from "../../effects/index.ts";
import { stateKey, type Task } from "../../interp/index.ts";
import { defineBuiltins } from "../../table/index.ts";
import { Dict, encodeValue, List, type MaybePromise, type Value } from "../../values/index.ts";
import { type Argument, textOf } from "../arguments.ts";
import { stateFile } from "../files/state-files.ts";
import { changeShown, hiddenTexts, shownValues } from "./shown-state.ts";

const checkpointState = stateKey<{ kept: Dict }>("checkpoints", () => ({ kept: new Dict() }));

const kept = (task: Task): Dict => task.runtime.state(checkpointState).kept;

/** Keeps the dict and writes the file, as one recorded effect. */
function keep(task: Task, dict: Dict): MaybePromise<Value> {
  task.runtime.state(checkpointState).kept = dict;
  const { runtime } = task;
  return task.perform<null>({
    effect: "write",
    kind: "checkpoint",
    // The same file once more.
    inDoubt: "repeat",
    args: () => encodeValue(dict) as Json,
    run: () => {
      const { program } = runtime;
      const values = hiddenTexts(task, dict);
      const shown = {
        what: "checkpoint",
        path: stateFile(task, "checkpoints", `${program}.json`),
        render: (ledger: EmbeddedLedger) =>
          shownValues(task, ledger.operateSync(checkpointRecords.get, { program })),
      };
      return changeShown(task, [shown], (ledger) =>
        ledger.operateSync(checkpointRecords.keep, { program, values }),
      );
    },
    result: shape.nothing,
  });
}

const writing = { effect: "write", capability: "fs.write", performs: true } as const;

export const checkpoints = defineBuiltins("checkpoints", {
  checkpoint: {
    ...writing,
    doc: "Keeps a value under a key for this run and its resumptions; a new run starts without any.",
    sig: "(key: any, value: any) -> nil",
    run: (task, key: Argument, value: Argument) => keep(task, kept(task).with(textOf(key), value ?? null)),
  },
  checkpoint_get: {
    doc: "The value of a checkpoint; nil when there is none.",
    sig: "(key: any) -> any",
    effect: "state",
    example: 'checkpoint_get("none")  // nil',
    run: (task, key: Argument) => kept(task).get(textOf(key)) ?? null,
  },
  checkpoint_exists: {
    doc: "Whether there is a checkpoint of this key, also one of nil.",
    sig: "(key: any) -> bool",
    effect: "state",
    example: 'checkpoint_exists("none")  // false',
    run: (task, key: Argument) => kept(task).has(textOf(key)),
  },
  checkpoint_list: {
    doc: "The keys of all checkpoints, sorted.",
    sig: "() -> list<string>",
    effect: "state",
    example: "checkpoint_list()  // []",
    run: (task) => new List([...kept(task).keys()]),
  },
  checkpoint_delete: {
    ...writing,
    doc: "Forgets a checkpoint.",
    sig: "(key: any) -> nil",
    run: (task, key: Argument) =>
      kept(task).has(textOf(key)) ? keep(task, kept(task).without(textOf(key))) : null,
  },
  checkpoint_clear: {
    ...writing,
    doc: "Forgets all checkpoints.",
    sig: "() -> nil",
    run: (task) => keep(task, new Dict()),
  },
});
