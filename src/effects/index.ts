/** The effects port and the journal's logic: record, replay. No Node imports here. */

/** JSON is a form of values (`values/json/`); whoever performs effects has it from here. */
export type { Json } from "../values/index.ts";
export { type Backoff, backoffMs } from "./backoff.ts";
export { type BlobSink, type Digest, type KeyOrder, MissingBlob, pack, unpack } from "./blobs.ts";
export { BranchedEffects, type BranchOptions } from "./branch/branched.ts";
export type { CoreOptions, Pending } from "./core.ts";
export type { EffectClass } from "./effect-class.ts";
export { decodeError, encodeError, RecordedFailure } from "./error-codec.ts";
export { History, importKey, recordedSources, shownPieces, validRecords } from "./history.ts";
export { type DoubtChoice, doubtChoices, doubtQuestion, type LostPart, type OnDoubt } from "./in-doubt.ts";
export { InFlightEffect } from "./in-flight.ts";
export {
  type BlobRecord,
  type DecisionRecord,
  type EndRecord,
  type IntentRecord,
  type Journal,
  JournalProblem,
  type JournalRecord,
  type JournalWriter,
  journalFormat,
  MemoryJournal,
  oldestFormat,
  type ProblemKind,
  type ResultRecord,
  type ResumeRecord,
  type RunHeader,
  type StopRecord,
} from "./journal.ts";
export { JournalledEffects, type JournalledOptions } from "./journalled.ts";
export { LiveEffects } from "./live.ts";
export type {
  AgentFailure,
  Decision,
  EffectCall,
  EffectEvidence,
  EffectMode,
  EffectScope,
  Effects,
  InDoubtRule,
  JournalledClass,
  RunEnd,
  StopRequest,
} from "./port.ts";
export { type RandomStream, randomStream } from "./random.ts";
export { recordProblem } from "./record-shape.ts";
export {
  fingerprintOf,
  type OutputHash,
  Recorder,
  type RecorderOptions,
  type RunInfo,
  revealedHeader,
} from "./recorder.ts";
export { RecordingEffects, type RecordingOptions } from "./recording.ts";
export { ReplayEffects, type ReplayOptions } from "./replay.ts";
export { type ResultShape, shape } from "./result-shape.ts";
export {
  type HistoryStep,
  historyBefore,
  type ResumePoint,
  resumePoint,
  retryPoint,
  shownUpTo,
  stepsOf,
  waitingPoint,
} from "./resume-point.ts";
export { type ResumeOptions, ResumingEffects } from "./resuming.ts";
export {
  credentialName,
  redact,
  redacted,
  redactedText,
  redactedValue,
  redactHeader,
  redactKnown,
  redactUrl,
  type Secret,
} from "./secrets/redact.ts";
export { type SecretDetector, secretDetectors } from "./secrets/secret-detectors.ts";
export { HiddenSecret, Secrets, standInMark } from "./secrets/secrets.ts";
export { type AtRest, type Runnable, Turns } from "./turns.ts";
