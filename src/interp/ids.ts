/**
 * Ids of sessions, transcripts and events: UUIDv7 that sort in the order in which they were made.
 *
 * The time is observed once per run, not once per id, so that ids cost no journal entries: later ids count on from it.
 * The random part comes from the run's seed.
 */
import { stateKey } from "./runtime.ts";
import type { Task } from "./task.ts";
import { wallMs } from "./time/clock.ts";

interface IdState {
  /** Milliseconds of the last id; `undefined` before the first. */
  ms: number | undefined;
  /** Ids made in this millisecond: the 12 bits after the version. */
  count: number;
}

const idState = stateKey<IdState>("agent.ids", () => ({ ms: undefined, count: 0 }));

/** A new id. */
export function newId(task: Task): string {
  const state = task.runtime.state(idState);
  state.ms ??= wallMs(task);
  if (state.count === 0x1000) {
    state.ms++;
    state.count = 0;
  }
  return uuidText(task, state.ms, state.count++);
}

function uuidText(task: Task, ms: number, count: number): string {
  const time = Math.floor(ms).toString(16).padStart(12, "0").slice(-12);
  const version = `7${count.toString(16).padStart(3, "0")}`;
  const random = `${random32(task)}${random32(task)}`;
  const variant = ((Number.parseInt(random[0] as string, 16) & 0x3) | 0x8).toString(16);
  const tail = `${variant}${random.slice(1)}`;
  return [time.slice(0, 8), time.slice(8), version, tail.slice(0, 4), tail.slice(4)].join("-");
}

const random32 = (task: Task): string =>
  (task.runtime.effects.random32(task.scope) >>> 0).toString(16).padStart(8, "0");
