/** Running: frames, calls, control signals, tasks, channels, limits, traces. Never sees the AST. */
export { type Console, defaultLimits, type Limits, Runtime, type RuntimeOptions, type StateKey } from "./runtime.ts";
export { Task } from "./task.ts";
