/**
 * Facts about folders, by namespace (builtins.md §2.20): inherited from the root down, kept in memory, loaded from and
 * saved to `metadata/NAMESPACE/entries.json` of the state folder. Two facts are made here: `structureHash` (names in the
 * folder) and `contentHash` (names and contents).
 */
import { type FactChanges, metadataFacts } from "../../durable/index.ts";
import { shape } from "../../effects/index.ts";
import { stateKey, type Task } from "../../interp/index.ts";
import { defineBuiltins } from "../../table/index.ts";
import {
  compareTexts,
  Dict,
  hexText,
  List,
  sortTexts,
  thrown,
  typeOf,
  type Value,
} from "../../values/index.ts";
import { type Argument, attempt, textOf, underDirectory, utf8 } from "../arguments.ts";
import { normalizePath } from "../files/path-text.ts";
import { readStateDict, stateFile } from "../files/state-files.ts";
import { changeShown, hiddenTexts, type ShownState, shownValues } from "./shown-state.ts";

/** Namespace, then folder (`.` is the root), then fields. */
type EntityFacts = Map<string, Map<string, Dict>>;

/** `saved`: as the facts were when they were loaded or saved last; what differs from it is what this run has changed. */
const metadataState = stateKey<{ facts: EntityFacts | undefined; saved: EntityFacts }>("metadata", () => ({
  facts: undefined,
  saved: new Map(),
}));

/** The namespace in which hashes are kept, and looked for. */
const hashNamespace = "classification";

function facts(task: Task): EntityFacts {
  const state = task.runtime.state(metadataState);
  if (state.facts === undefined) {
    state.facts = load(task);
    state.saved = metadataCopyOf(state.facts);
  }
  return state.facts;
}

const metadataCopyOf = (known: EntityFacts): EntityFacts =>
  new Map([...known].map(([name, folders]) => [name, new Map(folders)]));

function load(task: Task): EntityFacts {
  const stored = task.perform<Dict>({
    effect: "read",
    kind: "metadata.load",
    args: () => null,
    run: () => readMetadata(task),
    result: shape.dict,
  }) as Dict;
  const found: EntityFacts = new Map();
  for (const [namespace, folders] of stored.entries()) {
    const byFolder = new Map<string, Dict>();
    for (const [folder, fields] of (folders as Dict).entries())
      if (fields instanceof Dict) byFolder.set(folder, fields);
    found.set(namespace, byFolder);
  }
  return found;
}

function readMetadata(task: Task): Dict {
  const { files } = task.runtime.host;
  const folder = stateFile(task, "metadata");
  if (files.stat(folder)?.kind !== "dir") return new Dict();
  const names = attempt(`metadata: cannot read ${folder}`, () => files.list(folder)).map(({ name }) => name);
  return Dict.from(
    sortTexts(names).map(
      (name) =>
        [name, readStateDict(task, "metadata", stateFile(task, "metadata", name, "entries.json"))] as const,
    ),
  );
}

/** `.` for the root; no `./`, no trailing slash. */
const folderOf = (value: Argument): string => normalizePath(textOf(value) === "" ? "." : textOf(value));

/** The root, then each folder down to the given one. */
function lineage(folder: string): string[] {
  if (folder === ".") return ["."];
  const parts = folder.split("/");
  return [".", ...parts.map((_, i) => parts.slice(0, i + 1).join("/"))];
}

function resolvedMetadata(known: EntityFacts, folder: string, namespace: string): Dict | undefined {
  const folders = known.get(namespace);
  let merged: Dict | undefined;
  for (const at of lineage(folder)) {
    const fields = folders?.get(at);
    if (fields !== undefined) merged = merged === undefined ? fields : merged.merge(fields);
  }
  return merged;
}

const namespacesOf = (known: EntityFacts): string[] =>
  sortTexts([...known.keys()].filter((name) => (known.get(name)?.size ?? 0) > 0));

function resolvedAll(known: EntityFacts, folder: string): [string, Dict][] {
  return namespacesOf(known).flatMap((name) => {
    const fields = resolvedMetadata(known, folder, name);
    return fields === undefined ? [] : [[name, fields] as [string, Dict]];
  });
}

function foldersOf(known: EntityFacts, namespace: string | undefined): string[] {
  const chosen =
    namespace === undefined ? [...known.values()] : [known.get(namespace) ?? new Map<string, Dict>()];
  return [...new Set(chosen.flatMap((folders) => [...folders.keys()]))].sort(compareTexts);
}

const nameOf = (value: Argument): string | undefined =>
  value === undefined || value === null ? undefined : textOf(value);

function get(task: Task, dir: Argument, namespace: Argument): Value {
  const name = nameOf(namespace);
  const folder = folderOf(dir);
  if (name !== undefined) return resolvedMetadata(facts(task), folder, name) ?? null;
  const all = resolvedAll(facts(task), folder).map(([, fields]) => fields);
  return all.length === 0 ? null : all.reduce((merged, fields) => merged.merge(fields));
}

function set(task: Task, dir: Argument, namespace: Argument, fields: Argument): Value {
  if (!(fields instanceof Dict))
    throw thrown(`metadata_set: expected a dict of fields, got ${typeOf(fields ?? null)}`);
  put(facts(task), folderOf(dir), safeName("metadata_set", textOf(namespace)), fields);
  return null;
}

function put(known: EntityFacts, folder: string, namespace: string, fields: Dict): void {
  const folders = known.get(namespace) ?? new Map<string, Dict>();
  folders.set(folder, folders.get(folder)?.merge(fields) ?? fields);
  known.set(namespace, folders);
}

function entityEntries(task: Task, namespace: Argument): Value {
  const known = facts(task);
  const name = nameOf(namespace);
  const local = (folder: string): Value =>
    name === undefined
      ? Dict.from(
          namespacesOf(known).flatMap((one) => {
            const fields = known.get(one)?.get(folder);
            return fields === undefined ? [] : [[one, fields] as const];
          }),
        )
      : (known.get(name)?.get(folder) ?? null);
  const whole = (folder: string): Value =>
    name === undefined
      ? Dict.from(resolvedAll(known, folder))
      : (resolvedMetadata(known, folder, name) ?? null);
  return new List(
    foldersOf(known, undefined).map((dir) => Dict.of({ dir, local: local(dir), resolved: whole(dir) })),
  );
}

/** The hash of a kind that is stored for a folder. */
function storedHash(known: EntityFacts, folder: string, key: string): string | undefined {
  const hash = known.get(hashNamespace)?.get(folder)?.get(key);
  return typeof hash === "string" ? hash : undefined;
}

/** Hashes of what lies directly in a folder, as one recorded look. */
function hashes(task: Task, folder: string): { structureHash: string; contentHash: string } {
  return task.perform({
    effect: "read",
    kind: "metadata.hash",
    args: () => folder,
    run: () => hashFolder(task, folder),
    result: shape.record<{ structureHash: string; contentHash: string }>({
      structureHash: shape.text,
      contentHash: shape.text,
    }),
  }) as { structureHash: string; contentHash: string };
}

function hashFolder(task: Task, folder: string): { structureHash: string; contentHash: string } {
  const { files, crypto, cwd } = task.runtime.host;
  const path = underDirectory(cwd, folder);
  const hex = (data: Uint8Array): string => hexText(crypto.hash("sha256", data));
  const listed =
    files.stat(path)?.kind === "dir" ? attempt(`metadata: cannot read ${path}`, () => files.list(path)) : [];
  const items = listed
    .filter(({ name }) => !name.startsWith("."))
    .toSorted((a, b) => compareTexts(a.name, b.name));
  const names = items.map(({ name, kind }) => `${kind} ${name}`).join("\n");
  const contents = items.map(({ name, kind }) =>
    kind === "file"
      ? hex(attempt(`metadata: cannot read ${path}/${name}`, () => files.readBytes(`${path}/${name}`)))
      : "",
  );
  return { structureHash: hex(utf8(names)), contentHash: hex(utf8(`${names}\n${contents.join("\n")}`)) };
}

function stale(task: Task, namespace?: string): Dict {
  const known = facts(task);
  const changed = (key: "structureHash" | "contentHash"): string[] =>
    foldersOf(known, namespace).filter((folder) => {
      const old = storedHash(known, folder, key);
      return old !== undefined && old !== hashes(task, folder)[key];
    });
  const tier1 = changed("structureHash");
  const tier2 = changed("contentHash");
  return Dict.of({
    any_stale: tier1.length + tier2.length > 0,
    tier1: new List(tier1),
    tier2: new List(tier2),
  });
}

function status(task: Task, namespace: Argument): Value {
  const known = facts(task);
  const name = nameOf(namespace);
  const directories = foldersOf(known, name);
  const without = (key: string): List =>
    new List(directories.filter((folder) => storedHash(known, folder, key) === undefined));
  const namespaces = namespacesOf(known);
  return Dict.of({
    directory_count: directories.length,
    namespace_count: namespaces.length,
    namespaces: new List(namespaces),
    directories: new List(directories),
    missing_structure_hash: without("structureHash"),
    missing_content_hash: without("contentHash"),
    stale: stale(task, name),
  });
}

/** Fresh hashes for every folder that has facts. */
function refreshMetadata(task: Task): Value {
  const known = facts(task);
  for (const folder of foldersOf(known, undefined))
    put(known, folder, hashNamespace, Dict.of(hashes(task, folder)));
  return null;
}

/** Only what this run has changed is written: what others have saved meanwhile stays. */
function saveMetadata(task: Task): Value {
  const known = facts(task);
  const state = task.runtime.state(metadataState);
  const changes = [...known].map(([name, folders]) =>
    changedFolders(task, safeName("metadata_save", name), folders, state.saved.get(name)),
  );
  const now = metadataCopyOf(known);
  const saved = task.perform<null>({
    effect: "write",
    kind: "metadata.save",
    // Setting the same fields once more.
    inDoubt: "repeat",
    args: () => null,
    run: () => {
      if (changes.length === 0) return null;
      const shown = changes.map(({ namespace }) => shownNamespace(task, namespace));
      return changeShown(task, shown, (ledger) => {
        for (const change of changes) ledger.operateSync(metadataFacts.change, change);
        return null;
      });
    },
    result: shape.nothing,
  }) as Value;
  state.saved = now;
  return saved;
}

function changedFolders(
  task: Task,
  namespace: string,
  folders: ReadonlyMap<string, Dict>,
  saved: ReadonlyMap<string, Dict> = new Map(),
): FactChanges {
  const set = [...folders].flatMap(([folder, fields]) => {
    const before = saved.get(folder);
    if (fields === before) return [];
    const changed = [...fields.entries()].filter(
      ([name, value]) => before?.has(name) !== true || before.get(name) !== value,
    );
    return [[folder, hiddenTexts(task, Dict.from(changed))] as const];
  });
  const forgotten = [...saved.keys()].filter((folder) => !folders.has(folder));
  return { namespace, set: Object.fromEntries(set), forgotten };
}

function shownNamespace(task: Task, namespace: string): ShownState {
  return {
    what: "metadata",
    path: stateFile(task, "metadata", namespace, "entries.json"),
    render: (ledger) => {
      const folders = Object.entries(ledger.operateSync(metadataFacts.all, { namespace }));
      return Dict.from(folders.map(([folder, fields]) => [folder, shownValues(task, fields)] as const));
    },
    adopt: (ledger, dict) => {
      const folders = [...dict.entries()].flatMap(([folder, fields]) =>
        fields instanceof Dict ? [[folder, hiddenTexts(task, fields)] as const] : [],
      );
      ledger.operateSync(metadataFacts.replace, { namespace, folders: Object.fromEntries(folders) });
    },
  };
}

/** A namespace is a folder's name: it must not lead elsewhere. */
function safeName(caller: string, name: string): string {
  if (/^[^/\\\0]+$/.test(name) && name !== "." && name !== "..") return name;
  throw thrown(`${caller}: namespace '${name}' cannot be a folder name`);
}

const state = { effect: "read", performs: true, capability: "fs.read" } as const;

export const metadata = defineBuiltins(
  "metadata",
  {
    metadata_get: {
      ...state,
      doc: "A folder's facts with those of the folders above it, of one namespace or of all; nil when there are none.",
      sig: "(dir: string, namespace?: string) -> dict?",
      example: 'metadata_get("src", "facts")  // nil',
      run: get,
    },
    metadata_set: {
      ...state,
      doc: "Merges fields into a folder's namespace; `metadata_save` writes them.",
      sig: "(dir: string, namespace: string, fields: dict) -> nil",
      run: set,
    },
    metadata_resolve: {
      ...state,
      doc: "A folder's facts with the inherited ones: the fields of one namespace, or `{namespace: fields}`.",
      sig: "(dir: string, namespace?: string) -> dict?",
      example: 'metadata_resolve("src")  // {}',
      run: (task, dir: Argument, namespace: Argument) => {
        const name = nameOf(namespace);
        if (name !== undefined) return resolvedMetadata(facts(task), folderOf(dir), name) ?? null;
        return Dict.from(resolvedAll(facts(task), folderOf(dir)));
      },
    },
    metadata_entries: {
      ...state,
      doc: "All folders with facts, sorted: `{dir, local, resolved}`; nil where a folder has nothing in the namespace asked for.",
      sig: "(namespace?: string) -> list<dict>",
      example: "metadata_entries()  // []",
      run: entityEntries,
    },
    metadata_status: {
      ...state,
      doc: "Which folders and namespaces there are, which lack hashes, and which have changed since.",
      sig: "(namespace?: string) -> dict",
      example: "metadata_status().directory_count  // 0",
      run: status,
    },
    metadata_stale: {
      ...state,
      doc: "Folders whose `structureHash` (tier1) or `contentHash` (tier2) in the namespace `classification` is out of date. The project is the one that the program works in.",
      sig: "(project?: any) -> {any_stale: bool, tier1: list<string>, tier2: list<string>}",
      example: "metadata_stale().any_stale  // false",
      run: (task) => stale(task),
    },
    metadata_save: {
      doc: "Writes all facts to `.harn/metadata/NAMESPACE/entries.json`.",
      sig: "() -> nil",
      effect: "write",
      performs: true,
      capability: "fs.write",
      run: saveMetadata,
    },
    metadata_refresh_hashes: {
      ...state,
      doc: "Recomputes the hashes of all folders with facts.",
      sig: "() -> nil",
      example: "metadata_refresh_hashes()  // nil",
      run: refreshMetadata,
    },
    invalidate_facts: {
      ...state,
      doc: "Forgets the facts of a folder (its namespace `facts`).",
      sig: "(dir: string) -> nil",
      example: 'invalidate_facts("src")  // nil',
      run: (task, dir: Argument) => {
        facts(task).get("facts")?.delete(folderOf(dir));
        return null;
      },
    },
    compute_content_hash: {
      ...state,
      doc: "A hash of the names and contents of the files that lie directly in a folder.",
      sig: "(dir: string) -> string",
      example: 'len(compute_content_hash("."))  // 64',
      run: (task, dir: Argument) => hashes(task, folderOf(dir)).contentHash,
    },
  },
  { fields: "facts by name" },
);
