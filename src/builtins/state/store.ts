/**
 * The store (builtins.md §2.17): values that outlive the run. They are kept in the project's embedded store, each change in
 * one transaction, so that processes that write at the same time lose nothing of each other's. `store.json` in the state
 * folder shows them: written inside the same transaction, read by `store_get`. A file that is not what was written last (an
 * older version of harn made it, somebody edited or removed it) counts, and is taken over by the next change.
 */
import { type StateKey, type Task, tellPerson } from "../../interp/index.ts";
import { type Entries, openStore, type Store, StoreError } from "../../store/index.ts";
import { defineBuiltins } from "../../table/index.ts";
import { Dict, jsonParse, jsonStringify, List, thrown } from "../../values/index.ts";
import { attempt, type Given, textOf, utf8 } from "../arguments.ts";
import { readStateDict, stateFile, writeStateDict } from "../files/state-files.ts";
import { encodeHex } from "../formats/encodings-text.ts";
import { stateDirectory } from "../process/environment.ts";

/** Of the embedded store: the values as JSON text (secrets by name), and the digest of the file that shows them. */
const valuesSpace = "script.store";
const fileSpace = "script.store.file";

const pathOf = (task: Task): string => stateFile(task, "store.json");
const read = (task: Task): Dict => readStateDict(task, "store", pathOf(task));

const opened: StateKey<{ store: Store | undefined }> = {
  name: "script store",
  create: () => ({ store: undefined }),
};

function storeOf(task: Task): Store {
  const { host } = task.runtime;
  const state = task.runtime.state(opened);
  if (state.store !== undefined) return state.store;
  const folder = stateDirectory(task);
  // Through the machine's own door: what the run may not write is refused here.
  attempt(`store: cannot write ${folder}`, () => host.files.makeDir(folder));
  const store = openStore(folder, { now: () => host.clock.now(), sqlite: host.libraries.sqlite() });
  state.store = store;
  task.runtime.open.add({ close: async () => store.close() });
  return store;
}

/** Changes the values with nobody in between. */
function change(task: Task, edit: (values: Entries) => void): null {
  try {
    const store = storeOf(task);
    const edited = store.transaction(() => {
      const taken = takeFileOver(task, store.entries);
      edit(store.entries);
      show(task, store.entries);
      return taken;
    });
    // Not before: what is printed is noted in the same file.
    if (edited) tellPerson(task.runtime, `harn: ${pathOf(task)} was changed by others; it counts as it is\n`);
  } catch (error) {
    if (error instanceof StoreError) throw thrown([`store: ${error.message}`, ...error.advice].join("; "));
    throw error;
  }
  return null;
}

/** True when it had been written by the store, and somebody has changed it since. */
function takeFileOver(task: Task, entries: Entries): boolean {
  const path = pathOf(task);
  const known = entries.get(fileSpace, "digest");
  if (digestOf(task, path) === (known ?? null)) return false;
  const values = readStateDict(task, "store", path);
  for (const { key } of entries.list(valuesSpace)) entries.delete(valuesSpace, key);
  const { secrets } = task.runtime;
  for (const [key, value] of values.entries())
    entries.set(valuesSpace, secrets.hide(key), secrets.hide(jsonStringify(value)));
  return known !== undefined;
}

function show(task: Task, entries: Entries): void {
  const { secrets } = task.runtime;
  const values = entries
    .list(valuesSpace)
    .map(({ key, value }) => [secrets.reveal(key), jsonParse(secrets.revealInJson(String(value)))] as const);
  const path = pathOf(task);
  writeStateDict(task, "store", path, Dict.from(values));
  entries.set(fileSpace, "digest", digestOf(task, path));
}

/** Null where there is no file. */
function digestOf(task: Task, path: string): string | null {
  const { files, crypto } = task.runtime.host;
  return attempt(`store: cannot read ${path}`, () =>
    files.stat(path) === undefined ? null : encodeHex(crypto.hash("sha256", utf8(files.readText(path)))),
  );
}

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
    doc:
      "Stores a value under a key, as JSON, at once: in the project's store, and for reading in `.harn/store.json`. " +
      "Processes that write at the same time lose nothing of each other's.",
    sig: "(key: any, value: any) -> nil",
    run: (task, key: Given, value: Given) => {
      const { secrets } = task.runtime;
      const text = secrets.hide(jsonStringify(value ?? null));
      return change(task, (values) => values.set(valuesSpace, secrets.hide(textOf(key)), text));
    },
  },
  store_delete: {
    ...writing,
    doc: "Removes a key from the store.",
    sig: "(key: any) -> nil",
    run: (task, key: Given) =>
      read(task).has(textOf(key))
        ? change(task, (values) => void values.delete(valuesSpace, task.runtime.secrets.hide(textOf(key))))
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
    run: (task) => change(task, () => {}),
  },
  store_clear: {
    ...writing,
    doc: "Removes all keys from the store.",
    sig: "() -> nil",
    run: (task) =>
      change(task, (values) => {
        for (const { key } of values.list(valuesSpace)) values.delete(valuesSpace, key);
      }),
  },
});
