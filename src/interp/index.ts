/** Running: frames, calls, control signals, tasks, channels, limits, traces. Never sees the AST. */

export { BuiltinFunction, bindBuiltin } from "./builtin-call.ts";
export { callableOnChild, onChildPath, onSeededPath } from "./calls/child-scope.ts";
export { NativeCallable } from "./calls/native-callable.ts";
export { bounce, enter, placeArgs, ScriptClosure } from "./closure.ts";
export { Channel } from "./concurrency/channel.ts";
export {
  type GeneratorStep,
  GeneratorValue,
  Inner,
  type Steps,
  type StepsOf,
} from "./concurrency/generator.ts";
export { defaultMutex, Lock, type LockKind, lockOf, locks, Permit, withMutex } from "./concurrency/locks.ts";
export {
  type ParallelBody,
  type ParallelMode,
  parallelRace,
  parallelStream,
  runParallel,
} from "./concurrency/parallel.ts";
export {
  awaitHandle,
  cancelGracefully,
  cancelHandle,
  childTask,
  spawnTask,
  type TaskBody,
  TaskHandle,
} from "./concurrency/scheduler.ts";
export { type SelectChoice, select, selectChannels } from "./concurrency/select.ts";
export { startTimer } from "./concurrency/timers.ts";
export type { UncountedTime } from "./deadline.ts";
export { Cell, type Frame, newFrame, newFrame1, newFrame2, type Run } from "./frame.ts";
export { FunctionCode } from "./function-code.ts";
export {
  type GuardedEnd,
  type GuardOptions,
  type InterruptListener,
  type Interrupts,
  runGuarded,
} from "./guard.ts";
export { newId } from "./ids.ts";
export { type InterruptHandlers, interruptHandlers } from "./interrupts/interrupt-handlers.ts";
export { Interruption } from "./interrupts/interruption.ts";
export { BREAK, CONTINUE, Exit, ExitProgram, exitCodeOf, Signal, TailCall } from "./interrupts/signals.ts";
export { elementsIn, type IndexedItems, numbersFrom } from "./iterable.ts";
export { keptFiles, keptText, mustBeOwnPlace } from "./kept-files.ts";
export { limitCheckpoint, limitInMs as milliseconds, spend, withDeadline, withinTime } from "./limits.ts";
export { dictEntries, entryDict } from "./methods/dict.ts";
export { callMethod, findMethod, isolated, methodsOf, noSuchMethod } from "./methods/dispatch.ts";
export {
  chunkItems,
  countByKeys,
  countWhile,
  filterItems,
  flattenItems,
  groupByKeys,
  joinItems,
  mapItems,
  sortByKeys,
  sortItems,
  sumOf,
  uniqueItems,
  windowItems,
} from "./methods/list-build.ts";
export { extreme, findPosition, hasVerdict, positionInList } from "./methods/list-search.ts";
export {
  callableArg,
  intArg,
  type Method,
  type MethodRun,
  type MethodTable,
  methodTable,
} from "./methods/method.ts";
export { stepDict } from "./methods/pullable.ts";
export {
  intersectSets,
  isDisjoint,
  isSubset,
  subtractSets,
  symmetricDifference,
  unionSets,
} from "./methods/set.ts";
export { replaceText, splitIntoParts, textLines } from "./methods/string.ts";
export { isInputMocked, mockInput, takeMockedLine, takeMockedRest } from "./mocked-input.ts";
export { notifyPerson } from "./notify-person.ts";
export {
  type Console,
  defaultLimits,
  type Limits,
  onState,
  Runtime,
  type RuntimeOptions,
  type StateKey,
  type StateWiring,
  type TaskCensus,
  type Workspace,
  workingFolder,
  workspaces,
} from "./runtime.ts";
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
export { describeSite, type Site } from "./site.ts";
export { Task, Wait } from "./task.ts";
export { type LocalScope, noLocals, pinTask, standingAt, TaskLocal, type TaskLocals } from "./task-local.ts";
export { elapsedMs, pauseTask, scriptMonotonicMs, wallMs } from "./time/clock.ts";
export { InternalError, locatedFrame, ownError, stackOverflow, unwound } from "./trace.ts";
export {
  agentOutcome,
  type UnseenEnd,
  unseenEnds,
  unseenLines,
  type WaitingWork,
  waitingWork,
} from "./unseen-ends.ts";
