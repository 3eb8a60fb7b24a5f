/**
 * Shared cells, maps and mailboxes (builtins.md §2.16): state that tasks find by scope and key instead of passing it
 * along. Handles are plain dicts, so they can be stored and sent; what they name lives in the Runtime.
 */

import { Channel, stateKey, type Task } from "../../interp/index.ts";
import { at, defineBuiltins, refusal } from "../../table/index.ts";
import { Dict, equals, type MaybePromise, proceed, runtimeError, type Value } from "../../values/index.ts";
import { type Argument, intOr, optionsOf, textOf } from "../arguments.ts";
import { cellFields, mailboxFields, mapFields } from "../rows/concurrency.ts";

/** One value with the history that compare-and-set needs. */
class SharedCell {
  value: Value;
  version = 0;
  readonly counts = { read: 0, write: 0, casOk: 0, casFailed: 0, stale: 0 };
  constructor(value: Value) {
    this.value = value;
  }

  read(): Value {
    this.counts.read++;
    return this.value;
  }
  write(value: Value): Value {
    const previous = this.value;
    this.value = value;
    this.version++;
    this.counts.write++;
    return previous;
  }
  /** `expected` is a value, or a snapshot, which must still be the newest. */
  compareAndSet(expected: Value, next: Value): boolean {
    const version = snapshotVersion(expected);
    const same = version === undefined ? equals(this.value, expected) : version === this.version;
    if (version !== undefined && !same) this.counts.stale++;
    if (same) {
      this.counts.casOk++;
      this.write(next);
    } else this.counts.casFailed++;
    return same;
  }
  snapshot(): Dict {
    this.counts.read++;
    return Dict.of({ _type: "shared_snapshot", value: this.value, version: this.version });
  }
  metrics(): Dict {
    const { read, write, casOk, casFailed, stale } = this.counts;
    return Dict.of({
      version: this.version,
      read_count: read,
      write_count: write,
      cas_success_count: casOk,
      cas_failure_count: casFailed,
      stale_read_count: stale,
    });
  }
}

function snapshotVersion(value: Value): number | undefined {
  if (!(value instanceof Dict) || value.get("_type") !== "shared_snapshot") return undefined;
  const version = value.get("version");
  return typeof version === "number" ? version : undefined;
}

interface TaskMailbox {
  readonly channel: Channel;
  sent: number;
  received: number;
  failed: number;
}

interface SharedState {
  readonly cells: Map<string, SharedCell>;
  readonly maps: Map<string, Map<string, SharedCell>>;
  readonly mailboxes: Map<string, TaskMailbox>;
}

const sharedState = stateKey<SharedState>("shared state", () => ({
  cells: new Map(),
  maps: new Map(),
  mailboxes: new Map(),
}));

interface CellPlace {
  readonly scope: string;
  readonly key: string;
}

/** `task_group:task_root`: the scope's name and whom it belongs to. */
function sharedScopeOf(task: Task, name: string, caller: string): string {
  if (name === "durable" || name === "external") {
    throw runtimeError(`${caller}: durable shared state is explicit; use store_* or agent_state_* APIs`);
  }
  if (name === "task") return `task:${task.id}`;
  if (name === "task_group" && task.joined) return `task_group:${task.id.slice(0, task.id.lastIndexOf(":"))}`;
  return `${name}:${task.root.id}`;
}

/** `(key, …)` is as good as `({key, …})`. */
const placeOptions = (input: Argument): Dict =>
  input instanceof Dict ? input : Dict.of({ key: textOf(input) });

const sharedPlace = (task: Task, caller: string, scope: string, key: string | null): CellPlace => ({
  scope: sharedScopeOf(task, scope, caller),
  key: key ?? "",
});

const nameOf = ({ scope, key }: CellPlace): string => `${scope}\n${key}`;

function sharedHandle(type: string, { scope, key }: CellPlace): Dict {
  return Dict.of({ _type: type, scope, key });
}

/** What a handle names. */
function sharedName(type: string, caller: string, value: Argument): string {
  if (value instanceof Dict && value.get("_type") === type) {
    return nameOf({ scope: textOf(value.get("scope")), key: textOf(value.get("key")) });
  }
  throw refusal(at(caller, "handle"), `a ${type} handle`, value);
}

function sharedCellOf(task: Task, caller: string, value: Argument): SharedCell {
  const name = sharedName("shared_cell", caller, value);
  const { cells } = task.runtime.state(sharedState);
  let cell = cells.get(name);
  if (cell === undefined) {
    // A handle from a stored value or another run: it names an empty cell.
    cell = new SharedCell(null);
    cells.set(name, cell);
  }
  return cell;
}

function mapOf(task: Task, caller: string, value: Argument): Map<string, SharedCell> {
  const name = sharedName("shared_map", caller, value);
  const { maps } = task.runtime.state(sharedState);
  let map = maps.get(name);
  if (map === undefined) {
    map = new Map();
    maps.set(name, map);
  }
  return map;
}

/** The entry of a map; absent ones are made when they are written. */
function entryOf(map: Map<string, SharedCell>, key: string): SharedCell {
  let cell = map.get(key);
  if (cell === undefined) {
    cell = new SharedCell(null);
    map.set(key, cell);
  }
  return cell;
}

function sharedMetricsOf(task: Task, value: Argument): Value {
  if (!(value instanceof Dict) || value.get("_type") !== "shared_map") {
    return sharedCellOf(task, "shared_metrics", value).metrics();
  }
  const total = new SharedCell(null);
  for (const cell of mapOf(task, "shared_metrics", value).values()) {
    total.version += cell.version;
    for (const name of Object.keys(cell.counts) as (keyof SharedCell["counts"])[]) {
      total.counts[name] += cell.counts[name];
    }
  }
  return total.metrics();
}

const cells = defineBuiltins(
  "concurrency",
  {
    shared_cell: {
      doc: "A handle to the cell of a scope and key; the first to open it sets its value. Scopes are `task`, `task_group` (default) or any name.",
      sig: "(key: string | dict, initial: any = nil) -> dict",
      effect: "state",
      example: 'shared_get(shared_cell("n", 5))  // 5',
      fields: { key: () => cellFields },
      run: (task, input: Argument, initial: Argument) => {
        const read = optionsOf("shared_cell", placeOptions(input), cellFields);
        const at = sharedPlace(task, "shared_cell", read.scope, read.key);
        const { cells } = task.runtime.state(sharedState);
        if (!cells.has(nameOf(at))) cells.set(nameOf(at), new SharedCell(read.initial ?? initial ?? null));
        return sharedHandle("shared_cell", at);
      },
    },
    shared_get: {
      doc: "The value of a shared cell.",
      sig: "(cell: dict) -> any",
      effect: "state",
      run: (task, cell: Argument) => sharedCellOf(task, "shared_get", cell).read(),
    },
    shared_set: {
      doc: "Stores a value and gives the previous one.",
      sig: "(cell: dict, value: any) -> any",
      effect: "state",
      example: 'shared_set(shared_cell("m", 1), 2)  // 1',
      run: (task, cell: Argument, value: Argument) =>
        sharedCellOf(task, "shared_set", cell).write(value ?? null),
    },
    shared_snapshot: {
      doc: "Value and version of a shared cell, for `shared_cas`.",
      sig: "(cell: dict) -> dict",
      effect: "state",
      run: (task, cell: Argument) => sharedCellOf(task, "shared_snapshot", cell).snapshot(),
    },
    shared_cas: {
      doc: "Stores `next` when the cell still has the expected value, or the version of a snapshot; says whether it did.",
      sig: "(cell: dict, expected: any, next: any) -> bool",
      effect: "state",
      example: 'shared_cas(shared_cell("k", 1), 1, 2)  // true',
      run: (task, cell: Argument, expected: Argument, next: Argument) =>
        sharedCellOf(task, "shared_cas", cell).compareAndSet(expected ?? null, next ?? null),
    },
    shared_metrics: {
      doc: "Counts of a shared cell or map.",
      sig: "(cell: dict) -> dict",
      effect: "state",
      run: (task, value: Argument) => sharedMetricsOf(task, value),
    },
  },
  {
    cell: "a cell, as `shared_cell` gives it",
  },
);

const maps = defineBuiltins(
  "concurrency",
  {
    shared_map: {
      doc: "A handle to the map of a scope and key.",
      sig: "(key: string | dict, initial!: dict = {}) -> dict",
      effect: "state",
      example: 'shared_map_entries(shared_map("seen"))  // {}',
      fields: { key: () => mapFields },
      run: (task, input: Argument, initial = new Dict()) => {
        const read = optionsOf("shared_map", placeOptions(input), mapFields);
        const at = sharedPlace(task, "shared_map", read.scope, read.key);
        const { maps } = task.runtime.state(sharedState);
        if (!maps.has(nameOf(at))) {
          const entries = [...(read.initial ?? initial).entries()];
          maps.set(nameOf(at), new Map(entries.map(([key, value]) => [key, new SharedCell(value)])));
        }
        return sharedHandle("shared_map", at);
      },
    },
    shared_map_get: {
      doc: "The value of a key, else the default.",
      sig: "(map: dict, key: string, default: any = nil) -> any",
      effect: "state",
      run: (task, map: Argument, key: Argument, fallback: Argument) =>
        mapOf(task, "shared_map_get", map).get(textOf(key))?.read() ?? fallback ?? null,
    },
    shared_map_set: {
      doc: "Stores a value under a key and gives the previous one.",
      sig: "(map: dict, key: string, value: any) -> any",
      effect: "state",
      run: (task, map: Argument, key: Argument, value: Argument) =>
        entryOf(mapOf(task, "shared_map_set", map), textOf(key)).write(value ?? null),
    },
    shared_map_delete: {
      doc: "Removes a key and gives its value.",
      sig: "(map: dict, key: string) -> any",
      effect: "state",
      run: (task, map: Argument, key: Argument) => {
        const entries = mapOf(task, "shared_map_delete", map);
        const previous = entries.get(textOf(key))?.value ?? null;
        entries.delete(textOf(key));
        return previous;
      },
    },
    shared_map_cas: {
      doc: "Stores `next` under a key when it still has the expected value, or the version of a snapshot.",
      sig: "(map: dict, key: string, expected: any, next: any) -> bool",
      effect: "state",
      run: (task, map: Argument, key: Argument, expected: Argument, next: Argument) => {
        const entries = mapOf(task, "shared_map_cas", map);
        const known = entries.has(textOf(key));
        const done = entryOf(entries, textOf(key)).compareAndSet(expected ?? null, next ?? null);
        if (!known && !done) entries.delete(textOf(key));
        return done;
      },
    },
    shared_map_entries: {
      doc: "All entries as a dict.",
      sig: "(map: dict) -> dict",
      effect: "state",
      run: (task, map: Argument) => {
        const entries = mapOf(task, "shared_map_entries", map);
        return new Dict(new Map([...entries].map(([key, cell]) => [key, cell.read()])));
      },
    },
    shared_map_snapshot: {
      doc: "Value and version of a key, for `shared_map_cas`.",
      sig: "(map: dict, key: string) -> dict",
      effect: "state",
      run: (task, map: Argument, key: Argument) =>
        (mapOf(task, "shared_map_snapshot", map).get(textOf(key)) ?? new SharedCell(null)).snapshot(),
    },
  },
  { initial: "what the map holds at first", map: "a map, as `shared_map` gives it" },
);

/** The mailbox of a handle or a name; `undefined` when nobody opened it. */
function sharedMailboxOf(task: Task, target: Argument): TaskMailbox | undefined {
  const at =
    target instanceof Dict
      ? { scope: textOf(target.get("scope")), key: textOf(target.get("key")) }
      : sharedPlace(task, "mailbox", "task_group", textOf(target));
  return task.runtime.state(sharedState).mailboxes.get(nameOf(at));
}

function needMailbox(task: Task, caller: string, target: Argument): TaskMailbox {
  const mailbox = sharedMailboxOf(task, target);
  if (mailbox === undefined) throw runtimeError(`${caller}: unknown mailbox`);
  return mailbox;
}

function deliver(task: Task, target: Argument, value: Value): MaybePromise<Value> {
  const mailbox = sharedMailboxOf(task, target);
  if (mailbox === undefined) return false;
  return proceed(mailbox.channel.send(task, value), (sent) => {
    if (sent) mailbox.sent++;
    else mailbox.failed++;
    return sent;
  });
}

function receivedMessage(mailbox: TaskMailbox, value: Value | undefined): Value {
  if (value !== undefined) mailbox.received++;
  return value ?? null;
}

const mailboxes = defineBuiltins(
  "concurrency",
  {
    mailbox_open: {
      doc: "A handle to the mailbox of a scope and name; opening it again gives the same one.",
      sig: "(name: string | dict, capacity: int = 256) -> dict",
      effect: "state",
      example: 'mailbox_send(mailbox_open("inbox"), "hello")  // true',
      fields: { name: () => mailboxFields },
      run: (task, input: Argument, capacity: Argument) => {
        const read = optionsOf("mailbox_open", placeOptions(input), mailboxFields);
        const at = sharedPlace(task, "mailbox_open", read.scope, read.name);
        const { mailboxes } = task.runtime.state(sharedState);
        if (!mailboxes.has(nameOf(at))) {
          const size = intOr(read.capacity ?? capacity, 256);
          mailboxes.set(nameOf(at), { channel: new Channel(at.key, size), sent: 0, received: 0, failed: 0 });
        }
        return sharedHandle("mailbox", at);
      },
    },
    mailbox_send: {
      doc: "Puts a value into a mailbox (handle or name), waiting while it is full; false when it is unknown or closed.",
      sig: "(mailbox: dict | string, value: any) -> bool",
      effect: "state",
      suspends: "may",
      example: 'mailbox_send("nobody", 1)  // false',
      run: (task, target: Argument, value: Argument) => deliver(task, target, value ?? null),
    },
    mailbox_receive: {
      doc: "The next value, waiting for it; nil once the mailbox is closed and empty.",
      sig: "(mailbox: dict | string) -> any",
      effect: "state",
      suspends: "may",
      run: (task, target: Argument): MaybePromise<Value> => {
        const mailbox = needMailbox(task, "mailbox_receive", target);
        return proceed(mailbox.channel.receive(task), (value) => receivedMessage(mailbox, value));
      },
    },
    mailbox_try_receive: {
      doc: "The next value, or nil when there is none now.",
      sig: "(mailbox: dict | string) -> any",
      effect: "state",
      run: (task, target: Argument) => {
        const mailbox = needMailbox(task, "mailbox_try_receive", target);
        return receivedMessage(mailbox, mailbox.channel.tryReceive());
      },
    },
    mailbox_lookup: {
      doc: "The handle of a mailbox by name; nil when nobody opened it.",
      sig: "(name: string | dict) -> dict | nil",
      effect: "state",
      example: 'mailbox_lookup("nobody")  // nil',
      fields: { name: () => mailboxFields },
      run: (task, input: Argument) => {
        const { scope, name } = optionsOf("mailbox_lookup", placeOptions(input), mailboxFields);
        const at = sharedPlace(task, "mailbox_lookup", scope, name);
        return task.runtime.state(sharedState).mailboxes.has(nameOf(at)) ? sharedHandle("mailbox", at) : null;
      },
    },
    mailbox_close: {
      doc: "Closes a mailbox: what is in it stays readable.",
      sig: "(mailbox: dict | string) -> nil",
      effect: "state",
      run: (task, target: Argument) => {
        needMailbox(task, "mailbox_close", target).channel.closeChannel();
        return null;
      },
    },
    mailbox_metrics: {
      doc: "Counts of a mailbox.",
      sig: "(mailbox: dict | string) -> dict",
      effect: "state",
      run: (task, target: Argument) => {
        const { channel, sent, received: taken, failed } = needMailbox(task, "mailbox_metrics", target);
        return Dict.of({
          capacity: channel.capacity,
          depth: channel.length,
          sent_count: sent,
          received_count: taken,
          failed_send_count: failed,
          closed: channel.closed,
        });
      },
    },
  },
  { mailbox: "a mailbox, as `mailbox_open` gives it" },
);

export const sharedStateBuiltins = [...cells, ...maps, ...mailboxes];
