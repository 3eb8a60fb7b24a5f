/** A run that goes on from a journal that was cut off, in memory. */
import {
  type Journal,
  MemoryJournal,
  Recorder,
  type ResumeOptions,
  ResumingEffects,
  resumePoint,
  Secrets,
} from "../../src/effects/index.ts";
import { HostError, nodeAtRest, nodeDigest, nodeOutputHash } from "../../src/host/index.ts";

/** What is left when the process dies after so many records. */
export function cutJournal(journal: MemoryJournal, kept: number): MemoryJournal {
  const left = new MemoryJournal();
  for (const line of journal.lines.slice(0, kept)) left.append(line);
  return left;
}

export function resumingEffects(
  journal: Journal,
  writer: MemoryJournal,
  options: Partial<ResumeOptions> = {},
): ResumingEffects {
  const { history, failed } = resumePoint(journal);
  const outputHash = nodeOutputHash();
  const secrets = new Secrets();
  return new ResumingEffects({
    atRest: nodeAtRest(),
    seed: journal.header.seed,
    history,
    shown: 0,
    acceptChanges: false,
    ...(failed === undefined ? {} : { failed }),
    digest: nodeDigest,
    secrets,
    hostError: (code, message) => new HostError(code, message),
    outputHash,
    onDoubt: "ask",
    reportInDoubt: () => {},
    onward: () => {
      const recorder = new Recorder({ writer, digest: nodeDigest, secrets, outputHash });
      recorder.append({ t: "resume", keep: history.records.length, runtime: "0" });
      return recorder;
    },
    ...options,
  });
}
