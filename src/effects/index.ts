/** The effects port and the journal's logic: record, replay. No Node imports here. */

/** JSON is a form of values (`values/json/`); whoever performs effects has it from here. */
export type { Json } from "../values/index.ts";
export * from "./backoff.ts";
export { type Digest, type KeyOrder, MissingBlob, pack, unpack } from "./blobs.ts";
export { BranchedEffects } from "./branch/branched.ts";
export type { CoreOptions, Pending } from "./core.ts";
export type { EffectClass } from "./effect-class.ts";
export { encodeError } from "./error-codec.ts";
export {
  History,
  importKey,
  type Resumption,
  recordedSources,
  resumptionsOf,
  shownPieces,
  validRecords,
} from "./history.ts";
export { type DoubtChoice, doubtChoices, doubtQuestion, type LostPart, type OnDoubt } from "./in-doubt.ts";
export { InFlightEffect } from "./in-flight.ts";
export {
  type EndRecord,
  type Journal,
  JournalProblem,
  type JournalRecord,
  type JournalWriter,
  journalFormat,
  MemoryJournal,
  oldestFormat,
  type ProblemKind,
  type ProblemPlace,
  type RunHeader,
} from "./journal.ts";
export { JournalledEffects, type JournalledOptions } from "./journalled.ts";
export { LiveEffects } from "./live.ts";
export type {
  AgentFailure,
  Decision,
  EffectCall,
  EffectScope,
  Effects,
  InDoubtRule,
  JournalledClass,
  ProgramResult,
  RecordedKind,
  RunEnd,
  StopRequest,
} from "./port.ts";
export { recordProblem } from "./record-shape.ts";
export { fingerprintOf, type OutputHash, Recorder, type RunInfo, revealedHeader } from "./recorder.ts";
export { RecordingEffects } from "./recording.ts";
export { ReplayEffects } from "./replay.ts";
export * from "./result-shape.ts";
export * from "./resume-point.ts";
export { type ResumeOptions, ResumingEffects } from "./resuming.ts";
export * from "./secrets/redact.ts";
export * from "./secrets/secret-detectors.ts";
export * from "./secrets/secrets.ts";
export type { AtRest, Runnable } from "./turns.ts";
