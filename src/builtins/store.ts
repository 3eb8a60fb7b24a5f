/**
 * The store (builtins.md §2.17): values that outlive the run, in `store.json` of the state folder. Each call reads the
 * file anew, so that two runs see each other's keys.
 */
import type { Task } from "../interp/index.ts";
import { defineBuiltins } from "../table/index.ts";
import { Dict, List } from "../values/index.ts";
import { type Given, textOf } from "./arguments.ts";
import { readStateDict, stateFile, writeStateDict } from "./state-files.ts";

const pathOf = (task: Task): string => stateFile(task, "store.json");
const read = (task: Task): Dict => readStateDict(task, "store", pathOf(task));
const write = (task: Task, dict: Dict): null => {
  writeStateDict(task, "store", pathOf(task), dict);
  return null;
};

const reading = { effect: "read", capability: "fs.read" } as const;
/** Setting, removing or clearing twice comes to the same. */
const writing = { effect: "write", doubtful: "repeat", capability: "fs.read fs.write" } as const;

export const store = defineBuiltins("store", {
  store_get: {
    ...reading,
    doc: "The stored value of a key; nil when there is none.",
    sig: "(key: any) -> any",
    example: 'store_get("never set")  // nil',
    run: (task, key: Given) => read(task).get(textOf(key)) ?? null,
  },
  store_set: {
    ...writing,
    doc: "Stores a value under a key, as JSON in `.harn/store.json`; written at once.",
    sig: "(key: any, value: any) -> nil",
    run: (task, key: Given, value: Given) => write(task, read(task).with(textOf(key), value ?? null)),
  },
  store_delete: {
    ...writing,
    doc: "Removes a key from the store.",
    sig: "(key: any) -> nil",
    run: (task, key: Given) => {
      const dict = read(task);
      return dict.has(textOf(key)) ? write(task, dict.without(textOf(key))) : null;
    },
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
    run: (task) => write(task, read(task)),
  },
  store_clear: {
    ...writing,
    doc: "Removes all keys from the store.",
    sig: "() -> nil",
    run: (task) => write(task, new Dict()),
  },
});
