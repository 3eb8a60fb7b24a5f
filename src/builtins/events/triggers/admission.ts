/** Which events a trigger takes at all. */
import type { Task } from "../../../interp/index.ts";
import { Callable, Dict, equals, truthy, type Value } from "../../../values/index.ts";
import { textOf } from "../../arguments.ts";
import type { TriggerBinding } from "./binding.ts";
import { atPath } from "./filter-text.ts";

/** Why an event is none of this trigger's; `undefined` when it is its own. */
export async function admissionMismatch(
  task: Task,
  binding: TriggerBinding,
  event: Dict,
): Promise<string | undefined> {
  if (!isOfKind(binding, textOf(event.get("kind")))) return "kind_mismatch";
  if (binding.tenantId !== undefined && textOf(event.get("tenant_id")) !== binding.tenantId)
    return "tenant_mismatch";
  return (await passesFilter(task, binding.filter, event)) ? undefined : "filtered";
}

/** Why an event of this trigger is not handled now; `undefined` when it is. Remembers the event's key. */
export async function refusal(task: Task, binding: TriggerBinding, event: Dict): Promise<string | undefined> {
  const { maxConcurrent } = binding.budget;
  const { metrics } = binding;
  if (maxConcurrent !== undefined && metrics.in_flight >= maxConcurrent) return "max_concurrent";
  const key = await keyOf(task, binding, event);
  if (key === undefined) return undefined;
  if (binding.seen.has(key)) return "duplicate";
  binding.seen.add(key);
  return undefined;
}

const isOfKind = ({ events }: TriggerBinding, kind: string): boolean =>
  events.length === 0 || events.some((pattern) => fits(kind, pattern.split("*")));

/** Whether a text consists of these pieces, in order, with anything between. */
function fits(text: string, pieces: readonly string[]): boolean {
  const [first = "", ...rest] = pieces;
  if (!text.startsWith(first)) return false;
  if (rest.length === 0) return text === first;
  let at = first.length;
  const last = rest.pop() as string;
  for (const piece of rest) {
    const found = text.indexOf(piece, at);
    if (found < 0) return false;
    at = found + piece.length;
  }
  return text.length - last.length >= at && text.endsWith(last);
}

async function passesFilter(task: Task, filter: TriggerBinding["filter"], event: Dict): Promise<boolean> {
  if (filter === undefined) return true;
  if (typeof filter === "function") return filter(event);
  return filter instanceof Callable
    ? truthy(await filter.call(task, [event]))
    : holdsCondition(event, filter);
}

/** Whether a value has everything that a dict asks for, at every depth. */
function holdsCondition(value: Value, wanted: Value): boolean {
  if (!(wanted instanceof Dict)) return equals(value, wanted);
  if (!(value instanceof Dict)) return false;
  return wanted.keys().every((key) => holdsCondition(value.get(key) ?? null, wanted.get(key) as Value));
}

async function keyOf(task: Task, { dedupeKey }: TriggerBinding, event: Dict): Promise<string | undefined> {
  if (dedupeKey === undefined) return undefined;
  const key = dedupeKey instanceof Callable ? await dedupeKey.call(task, [event]) : atPath(event, dedupeKey);
  return key === undefined || key === null ? undefined : textOf(key);
}
