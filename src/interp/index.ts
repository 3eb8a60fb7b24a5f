/** Running: frames, calls, control signals, tasks, channels, limits, traces. Never sees the AST. */

export { BuiltinFunction, bindBuiltin } from "./builtin-call.ts";
export { Channel } from "./channel.ts";
export { bounce, enter, FunctionCode, placeArgs, ScriptClosure } from "./closure.ts";
export { Cell, type Frame, newFrame, newFrame1, newFrame2, type Run } from "./frame.ts";
export { GeneratorValue, Inner, type Step, type Steps, type StepsOf } from "./generator.ts";
export {
  type Guarded,
  type GuardOptions,
  type InterruptListener,
  type Interrupts,
  runGuarded,
} from "./guard.ts";
export { type InterruptHandlers, interruptHandlers } from "./interrupt-handlers.ts";
export { Interruption } from "./interruption.ts";
export { keptFiles, keptText } from "./kept-files.ts";
export { checkpoint, milliseconds, spend, withDeadline, withinTime } from "./limits.ts";
export { defaultMutex, Lock, type LockKind, lockOf, locks, Permit, withMutex } from "./locks.ts";
export * from "./methods/index.ts";
export { isInputMocked, mockInput, takeMockedLine, takeMockedRest } from "./mocked-input.ts";
export {
  type ParallelBody,
  type ParallelMode,
  parallelRace,
  parallelStream,
  runParallel,
} from "./parallel.ts";
export {
  type Console,
  defaultLimits,
  type Limits,
  Runtime,
  type RuntimeOptions,
  type StateKey,
  type TaskCensus,
  type Workplace,
  workingFolder,
  workplaces,
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
export {
  type ClockState,
  clockState,
  lastMoment,
  monotonic,
  moveMock,
  realTime,
  sinceStart,
  sleepInMock,
  wallClock,
} from "./script-clock.ts";
export { aboutSecrets, isFact, isFactMethod } from "./secret-facts.ts";
export { type Selected, select, selectChannels } from "./select.ts";
export { BREAK, CONTINUE, Exit, ExitProgram, exitCodeOf, Signal, TailCall } from "./signals.ts";
export { describeSite, type Site, Task, Wait } from "./task.ts";
export { noLocals, pinTask, TaskLocal, type TaskLocals } from "./task-local.ts";
export { tellPerson } from "./tell.ts";
export { startTimer } from "./timers.ts";
export { InternalError, located, ownError, stackOverflow, unwound } from "./trace.ts";
export { type UnseenEnd, unseenEnds, unseenLines } from "./unseen-ends.ts";
