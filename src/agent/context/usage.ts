/** How much of a model's window the coming call takes (`context.usage`), by the one meter there is. */
import type { RunEventData } from "../../events/index.ts";
import type { Loop } from "../state/loop-state.ts";
import { emit, type Turn } from "../state/requests.ts";
import { usualWindow } from "./meter.ts";
import { gaugeOf } from "./metering.ts";
import { thresholdOf } from "./passes/occasions.ts";

/** Emitted when it has changed by a hundredth of the window, and after every compaction. */
export function* emitContextUsage(loop: Loop): Turn<void> {
  const { gauge, compaction } = loop.state.slots;
  const usage = contextUsage(loop);
  const step = (usage.window ?? usualWindow) / 100;
  const same = gauge.delivered !== null && Math.abs(usage.used - gauge.delivered) < step;
  if (same && gauge.compactions === compaction.count) return;
  gauge.delivered = usage.used;
  gauge.compactions = compaction.count;
  yield* emit("context.usage", usage);
}

/** Of the assembled request. */
export function contextUsage(loop: Loop): RunEventData["context.usage"] {
  const { tokens: used, anchored, parts } = gaugeOf(loop);
  const window = loop.contextWindow;
  const { compaction } = loop.options;
  return {
    used,
    window,
    ratio: window === null || window === 0 ? null : used / window,
    threshold: compaction === null ? null : thresholdOf(loop, compaction),
    source: anchored ? "vendor" : "estimate",
    parts,
  };
}
