/** How a daemon was asked for: `daemon_spawn`'s config (agents.md §18) read, and what of it can be kept on disk. */
import { hostPathOf } from "../../agent/index.ts";
import type { Task } from "../../interp/index.ts";
import { at, readRows, refusal, row, rows } from "../../table/index.ts";
import { Callable, Dict, fromJson, List, option, thrown, toJson, type Value } from "../../values/index.ts";
import { daemonOwn } from "../fields/worker-fields.ts";

/** What the daemon reads itself; its loop gets the rest. */
const readHere = rows(() => ({ ...daemonOwn.typed, system: row.text(), persist_path: row.text() }));

export function parseDaemonPlan(caller: string, config: Value) {
  if (!(config instanceof Dict)) throw refusal(at(caller, "config"), "dict", config);
  const { name, task, prompt, system, persistPath, stateDir, eventQueueCapacity } = readRows(
    config,
    readHere,
    at(caller),
  );
  const asked = task || prompt;
  if (!asked) throw thrown(`${caller}: config must include \`task\` or \`prompt\``);
  const folder = persistPath || stateDir;
  if (!folder) throw thrown(`${caller}: config must include \`persist_path\` or \`state_dir\``);
  if (config.get("daemon") === false) throw thrown(`${caller}: \`daemon: false\` makes no daemon`);
  if (option(config, "resume_path") !== undefined)
    throw thrown(`${caller}: \`resume_path\` is for loops; daemon_resume goes on with a daemon's folder`);
  return {
    name: name || "daemon",
    prompt: asked,
    system: system || null,
    /** Those of its loop, as given. */
    options: [...readHere.names(), "daemon", "resume_path"].reduce((rest, key) => rest.without(key), config),
    /** Where its state lies, as given. */
    folder: folder.length > 1 ? folder.replace(/\/+$/, "") : folder,
    capacity: eventQueueCapacity,
  };
}

export type DaemonPlan = Readonly<ReturnType<typeof parseDaemonPlan>>;

/** What it was asked for. */
export const planFields = ({ name, prompt, system, capacity, options }: DaemonPlan): Dict =>
  Dict.of({ name, prompt, system, event_queue_capacity: capacity, options });

/** The same as JSON can hold it: options with functions in them are left out, and named in `dropped`. */
export function storedConfig(plan: DaemonPlan): Dict {
  const kept: [string, Value][] = [];
  const dropped: string[] = [];
  for (const [name, value] of plan.options.entries()) {
    if (holdsFunction(value)) dropped.push(name);
    else kept.push([name, fromJson(toJson(value))]);
  }
  return planFields(plan).merge(Dict.of({ options: Dict.from(kept), dropped: new List(dropped) }));
}

function holdsFunction(value: Value): boolean {
  if (value instanceof Callable) return true;
  if (value instanceof Dict) return [...value.entries()].some(([, item]) => holdsFunction(item));
  return value instanceof List && value.toArray().some(holdsFunction);
}

/** A plan made of such fields, those of a run or those on disk; `changes` bring back what could not be kept. */
export function changedPlan(caller: string, fields: Dict, folder: string, changes: Dict): DaemonPlan {
  const options = fields.get("options");
  const config = (options instanceof Dict ? options : new Dict()).merge(
    Dict.of({
      name: fields.get("name") ?? null,
      task: fields.get("prompt") ?? null,
      system: fields.get("system") ?? null,
      event_queue_capacity: fields.get("event_queue_capacity") ?? null,
    }),
  );
  return parseDaemonPlan(caller, config.merge(changes).with("persist_path", folder));
}

/** `.harn/daemons/d` and `.harn/daemons/d/` are one folder; so are a relative path and what it means. */
export function folderKey(task: Task, folder: string): string {
  const full = hostPathOf(task, folder);
  const parts: string[] = [];
  for (const part of full.split("/")) {
    if (part === "..") parts.pop();
    else if (part !== "" && part !== ".") parts.push(part);
  }
  return `/${parts.join("/")}`;
}
