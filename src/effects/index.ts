/** The effects port and the journal's logic: record, replay. No Node imports here. */
export { type BlobSink, type Digest, MissingBlob, pack, unpack } from "./blobs.ts";
export type { CoreOptions } from "./core.ts";
export { decodeError, encodeError, RecordedFailure } from "./error-codec.ts";
export { Flight } from "./flight.ts";
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
  type ProblemKind,
  type ResultRecord,
  type RunHeader,
  type StopRecord,
} from "./journal.ts";
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
export {
  fingerprintOf,
  type OutputHash,
  RecordingEffects,
  type RecordingOptions,
  type RunInfo,
} from "./recording.ts";
export { importKey, ReplayEffects, type ReplayOptions, recordedSources } from "./replay.ts";
export { Secrets } from "./secrets.ts";
export { type AtRest, type Runnable, Turns } from "./turns.ts";
