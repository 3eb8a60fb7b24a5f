/** The effects port and the journal's logic: record, replay. No Node imports here. */
export { Flight } from "./flight.ts";
export { LiveEffects } from "./live.ts";
export type {
  Decision,
  EffectCall,
  EffectMode,
  EffectScope,
  Effects,
  JournalledClass,
  Json,
  RunEnd,
  StopRequest,
} from "./port.ts";
export { type RandomStream, randomStream } from "./random.ts";
export { type AtRest, type Runnable, Turns } from "./turns.ts";
