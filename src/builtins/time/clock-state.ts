/** The clock that scripts see, for the builtins that ask it. */
export {
  clockState,
  lastMoment,
  monotonic,
  moveMock,
  realTime,
  sinceStart,
  sleepInMock,
  wallClock,
} from "../../interp/index.ts";
