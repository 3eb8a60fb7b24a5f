/**
 * The store (builtins.md §2.17): values that outlive the run. They are kept in the project's ledger, each change in one
 * transaction, so that processes that write at the same time lose nothing of each other's. `store.json` in the state folder
 * shows them: written inside the same transaction, read by `store_get`. A file that is not what was written last (an older
 * version of harn made it, somebody edited or removed it) is taken over by the next change.
 */
import { type EmbeddedLedger, scriptStore } from "../../durable/index.ts";
import type { Task } from "../../interp/index.ts";
import { defineBuiltins } from "../../table/index.ts";
import { type Dict, jsonStringify, List } from "../../values/index.ts";
import { type Argument, textOf } from "../arguments.ts";
import { readStateDict, stateFile } from "../files/state-files.ts";
import { changeShown, hiddenTexts, type ShownState, shownValues } from "./shown-state.ts";

const what = "store";
const pathOf = (task: Task): string => stateFile(task, "store.json");
const read = (task: Task): Dict => readStateDict(task, what, pathOf(task));

const shownStore = (task: Task): ShownState => ({
  what,
  path: pathOf(task),
  render: (ledger) => shownValues(task, Object.fromEntries(ledger.operateSync(scriptStore.all, {}))),
  adopt: (ledger, dict) => ledger.operateSync(scriptStore.replace, { values: hiddenTexts(task, dict) }),
});

const change = (task: Task, edit: (ledger: EmbeddedLedger) => null): null =>
  changeShown(task, [shownStore(task)], edit);

const reading = { effect: "read", capability: "fs.read" } as const;
/** Setting, removing or clearing twice comes to the same. */
const writing = { effect: "write", inDoubt: "repeat", capability: "fs.read fs.write" } as const;

export const store = defineBuiltins("store", {
  store_get: {
    ...reading,
    doc: "The stored value of a key; nil when there is none.",
    sig: "(key: any) -> any",
    example: 'store_get("never set")  // nil',
    run: (task, key: Argument) => read(task).get(textOf(key)) ?? null,
  },
  store_set: {
    ...writing,
    doc:
      "Stores a value under a key, as JSON, at once: in the project's store, and for reading in `.harn/store.json`. " +
      "Processes that write at the same time lose nothing of each other's.",
    sig: "(key: any, value: any) -> nil",
    run: (task, key: Argument, value: Argument) => {
      const { secrets } = task.runtime;
      const text = secrets.hide(jsonStringify(value ?? null));
      const hidden = secrets.hide(textOf(key));
      return change(task, (ledger) => ledger.operateSync(scriptStore.set, { key: hidden, text }));
    },
  },
  store_delete: {
    ...writing,
    doc: "Removes a key from the store.",
    sig: "(key: any) -> nil",
    run: (task, key: Argument) =>
      read(task).has(textOf(key))
        ? change(task, (ledger) =>
            ledger.operateSync(scriptStore.remove, { key: task.runtime.secrets.hide(textOf(key)) }),
          )
        : null,
  },
  store_list: {
    ...reading,
    doc: "The keys of the store, sorted.",
    sig: "() -> list<string>",
    example: "store_list()  // []",
    run: (task) => new List([...read(task).keys()]),
  },
  store_save: {
    ...writing,
    doc: "Makes sure that the store's file exists; every `store_set` has written it already.",
    sig: "() -> nil",
    run: (task) => change(task, () => null),
  },
  store_clear: {
    ...writing,
    doc: "Removes all keys from the store.",
    sig: "() -> nil",
    run: (task) => change(task, (ledger) => ledger.operateSync(scriptStore.replace, { values: {} })),
  },
});
