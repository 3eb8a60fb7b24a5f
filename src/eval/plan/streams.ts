/** Where the randomness of a trial comes from, and what makes it the same trial. */
import type { Digest } from "../../effects/index.ts";
import { onSeededPath, stateKey, type Task, TaskLocal } from "../../interp/index.ts";
import { always, type MaybePromise } from "../../values/index.ts";
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

/** Where the randomness of a role comes from in a trial or a scoring; elsewhere roles have none of their own. */
export interface RoleStreams {
  /** The seed of a role's stream; of the trial's own one for null. Undefined outside of trials. */
  seedOf: ((role: TrialRole, stream: number | null) => string) | undefined;
  /** The scorer that is at work: what another one draws changes nothing for it. */
  scorer: string;
  /** Stretches that roles have had so far, by role, stream and scorer. */
  readonly stretches: Map<string, number>;
}

/** `task.runtime.state(roleStreams)` */
export const roleStreams = stateKey<RoleStreams>("role streams", () => ({
  seedOf: undefined,
  scorer: "",
  stretches: new Map(),
}));

/** The number of the stream that a role was given here; without one it has that of the trial. */
export const fixedStream = new TaskLocal<number>("stream of a role");

/** Runs a stretch of a role on its own stream: what it draws does not depend on what other roles did before. */
export function onRoleStream<T>(
  task: Task,
  role: TrialRole,
  stream: number | null,
  body: () => MaybePromise<T>,
): MaybePromise<T> {
  const streams = task.runtime.state(roleStreams);
  const { seedOf, scorer, stretches } = streams;
  if (seedOf === undefined) return body();
  const key = `${scorer}/${role}/${stream ?? ""}`;
  const stretch = stretches.get(key) ?? 0;
  stretches.set(key, stretch + 1);
  const run = (): MaybePromise<T> => onSeededPath(task, seedOf(role, stream), `${scorer}/${stretch}`, body);
  return stream === null ? run() : always(run, fixedStream.enter(task, stream));
}
