/** Where the randomness of a trial comes from, and what makes it the same trial. */
import type { Digest } from "../../effects/index.ts";
import type { TrialRole } from "./outcome.ts";
import type { StreamNumbers } from "./trial-key.ts";

/**
 * The seed of a role's random stream: 32 hex digits. Variants share it, so that two variants differ by what they are and
 * not by luck.
 */
export const streamSeed = (
  digest: Digest,
  at: {
    readonly seed: string;
    readonly task: string;
    readonly sample: string;
    readonly role: TrialRole;
    readonly stream: number;
  },
): string => digest([at.seed, at.task, at.sample, at.role, at.stream].join("\n")).slice(0, 32);

/** What a trial was made of: another digest under the same address means that it is stale. */
export const trialIdentity = (
  digest: Digest,
  of: {
    readonly task: string;
    /** The task's own version, or the digest of the program's modules. */
    readonly version: string;
    readonly sample: string;
    readonly variant: string;
    readonly epoch: number;
    readonly streams: StreamNumbers;
  },
): string =>
  digest(
    JSON.stringify(["trial", 1, of.task, of.version, of.sample, of.variant, of.epoch, sorted(of.streams)]),
  );

const sorted = (streams: StreamNumbers): StreamNumbers =>
  Object.fromEntries(Object.entries(streams).sort(([a], [b]) => (a < b ? -1 : 1)));
