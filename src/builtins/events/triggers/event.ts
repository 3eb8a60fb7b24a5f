/** Events as triggers see them: what the sender left out is filled in. */

import type { Task } from "../../../interp/index.ts";
import { newId } from "../../../interp/index.ts";
import { Dict, type Value } from "../../../values/index.ts";
import { type Argument, option, textOf } from "../../arguments.ts";
import { isoTime } from "../../time/iso-time.ts";
import type { TriggerBinding } from "./binding.ts";

/** An event with `id`, `provider`, `kind`, `received_at`, `trace_id`, `headers` and `provider_payload`. */
export function eventOf(
  task: Task,
  input: Argument,
  binding: Pick<TriggerBinding, "provider" | "kind">,
  nowMs: number,
): Dict {
  const event = input instanceof Dict ? input : new Dict();
  const text = (key: string, otherwise: () => string): Value => {
    const value = option(event, key);
    return value === undefined ? otherwise() : textOf(value);
  };
  const dict = (key: string): Value => option(event, key) ?? new Dict();
  return event
    .with(
      "id",
      text("id", () => `trigger_evt_${newId(task)}`),
    )
    .with(
      "provider",
      text("provider", () => binding.provider),
    )
    .with(
      "kind",
      text("kind", () => binding.kind),
    )
    .with(
      "received_at",
      text("received_at", () => isoTime(nowMs)),
    )
    .with(
      "trace_id",
      text("trace_id", () => `trace_${newId(task)}`),
    )
    .with("headers", dict("headers"))
    .with("provider_payload", dict("provider_payload"));
}

export const eventId = (event: Dict): string => textOf(event.get("id"));
export const traceIdOf = (event: Dict): string => textOf(event.get("trace_id"));
