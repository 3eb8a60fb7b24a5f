/**
 * When everything runnable has come to rest. A tick that is asked for from inside a microtask runs once the microtask
 * queue is empty: 0.35 µs a turn, where `setImmediate` costs 1.2 µs. Ticks alone would starve timers, sockets and
 * signals, so every 256th turn goes through the event loop.
 */
import type { AtRest } from "../effects/index.ts";

const turnsPerLoop = 256;

/** `atRest` for one run. */
export function nodeAtRest(): AtRest {
  let turns = 0;
  return (callback) => {
    turns++;
    if (turns % turnsPerLoop === 0) setImmediate(callback);
    else queueMicrotask(() => process.nextTick(callback));
  };
}
