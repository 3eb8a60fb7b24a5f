/** Adapters to Node: clock, random, files, processes, terminal. */
export {
  type Clock,
  type FileInfo,
  type Files,
  type Host,
  HostError,
  type MaybeLine,
  type ProcessOptions,
  type ProcessResult,
  type Processes,
} from "./ports.ts";
