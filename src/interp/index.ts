/** Running: frames, calls, control signals, tasks, channels, limits, traces. Never sees the AST. */

export { Channel } from "./channel.ts";
export { Interruption } from "./interruption.ts";
export { checkpoint, milliseconds, withDeadline } from "./limits.ts";
export { defaultMutex, type LockKind, lockOf, Permit, withMutex } from "./locks.ts";
export { type ParallelBody, type ParallelMode, parallelStream, runParallel } from "./parallel.ts";
export {
  type Console,
  defaultLimits,
  type Limits,
  Runtime,
  type RuntimeOptions,
  type StateKey,
  type TaskCensus,
} from "./runtime.ts";
export {
  awaitHandle,
  cancelGracefully,
  cancelHandle,
  childTask,
  spawnTask,
  type TaskBody,
  TaskHandle,
  watchForDeadlock,
} from "./scheduler.ts";
export { type Selected, select, selectChannels } from "./select.ts";
export { type Site, Task, Wait } from "./task.ts";
export { startTimer } from "./timers.ts";
