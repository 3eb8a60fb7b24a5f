/** How a run is to be done on a worker: what its sender says besides what its journal says. The engine carries it, so it is small. */
import { type Journal, type Json, shape } from "../effects/index.ts";
import { version } from "../host/command/index.ts";
import type { RunFlags } from "../run/setup/index.ts";
import { isJsonObject, presentFields } from "../values/index.ts";
import { JobFailed, NewerWork } from "./ports.ts";

const { text, count, flag, optional } = shape;

/** Flags of `harn run` that count where the run is done, and what they are. */
const travelling = {
  provider: text,
  model: text,
  baseUrl: text,
  tape: text,
  llmMock: text,
  onDoubt: text,
  onApproval: text,
  maxDepth: count,
  maxSteps: count,
  allow: text,
  deny: text,
  skillDir: text,
  progress: flag,
  live: flag,
  events: flag,
  quiet: flag,
} as const;

export type TravellingFlags = Pick<RunFlags, keyof typeof travelling>;

/** What a job runs with: what its sender says, beside what the worker says of models. */
export type LentFlags = TravellingFlags & Pick<RunFlags, "owner">;

export interface RunOrder {
  readonly flags: TravellingFlags;
  /** How often the run had ended when it was handed over: one end more is that of the job. */
  readonly ends: number;
  /** What a key says of the run, as text (`signed-runs.ts`). */
  readonly signature?: string | undefined;
}

export function travellingFlags(flags: RunFlags): TravellingFlags {
  const named = Object.keys(travelling).map((name) => [name, flags[name as keyof TravellingFlags]]);
  return presentFields(Object.fromEntries(named) as TravellingFlags);
}

export const endsOfRun = ({ records }: Journal): number => records.filter(({ t }) => t === "end").length;

export const orderJson = (order: RunOrder): Json => presentFields({ ...order }) as unknown as Json;

export const sentByNewer = (what: string, unknown: string): NewerWork =>
  new NewerWork(
    `${what} says what this worker does not understand (${unknown}): it was sent by a newer version of harn than ${version}\n  use that one here, too`,
  );

/** Of what the engine carried, which anybody may have written who can write to it. */
export function orderIn(json: Json): RunOrder {
  const { flags, ends, signature, ...more } = isJsonObject(json) ? json : {};
  const given = isJsonObject(flags) ? flags : {};
  const unknown = [
    ...Object.keys(more),
    ...Object.keys(given).filter((name) => !Object.hasOwn(travelling, name)),
  ];
  if (unknown.length > 0) throw sentByNewer("the job", unknown.join(", "));
  const wrong = Object.entries(given).find(
    ([name, value]) => !travelling[name as keyof TravellingFlags].fits(value),
  );
  if (wrong !== undefined || !count.fits(ends) || !optional(text).fits(signature))
    throw new JobFailed(
      `the job says what this worker does not understand (${wrong?.[0] ?? "how it was handed over"}): it was sent by another version of harn`,
    );
  return {
    flags: given as TravellingFlags,
    ends: ends as number,
    signature: signature as string | undefined,
  };
}
