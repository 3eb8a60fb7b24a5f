/** Which trial: task, variant, sample and epoch, as data and as the address `SET:TASK/VARIANT/SAMPLE.EPOCH~ATTEMPT`. */

/** The set's own trials; beside them crossed re-runs, oracles, and trials that go like one of them up to a step. */
export type TrialKind = "epoch" | "cross" | "oracle" | "fork";

/** A trial inside its set; the three names as authors wrote them. */
export interface TrialKey {
  readonly task: string;
  readonly variant: string;
  readonly sample: string;
  /** From 1. */
  readonly epoch: number;
}

/** `[streams of roles]` that differ from the epoch, in the order of their names; empty for ordinary trials. */
export type StreamNumbers = Readonly<Record<string, number>>;

/** `/ : . ~ %` and blanks, which have a meaning in an address. */
const reserved = /[/:.~%\s]/g;

/** A name as it stands in an address: what has a meaning there is percent-encoded, byte for byte of its UTF-8. */
export const encodePart = (name: string): string =>
  name.replace(reserved, (unit) =>
    unit.charCodeAt(0) < 0x80
      ? `%${unit.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`
      : encodeURIComponent(unit),
  );

/** Undoes `encodePart`; a text that is not percent-encoded rightly stays as it is. */
export function decodePart(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** `TASK/VARIANT/SAMPLE.EPOCH`: unique in a set, and the line of a receipt begins with it. */
export const trialPath = ({ task, variant, sample, epoch }: TrialKey): string =>
  `${encodePart(task)}/${encodePart(variant)}/${encodePart(sample)}.${epoch}`;

/** `SET:TASK/VARIANT/SAMPLE.EPOCH`, of an attempt `…~2`. */
export const trialAddress = (set: string, key: TrialKey, attempt?: number): string =>
  `${set}:${trialPath(key)}${attempt === undefined ? "" : `~${attempt}`}`;

const form = /^([^:]+):(?:(?:([^/]+)\/)?(?:([^/]+)\/)?([^/.~]+)?(?:\.(\d+))?(?:~(\d+))?)$/;

/**
 * Parses an address: `last:r07.2`, `last:refunds/r07`, `SET:refunds/gpt-4o/r07.2~1`. With one name before the sample it
 * may be task or variant: it is given as the task, and `addressFits` takes either. Undefined for what is no address.
 */
export function parseAddress(text: string) {
  const found = form.exec(text);
  if (found === null) return undefined;
  const [, set, task, variant, sample, epoch, attempt] = found;
  const part = (input: string | undefined): string | null => (input === undefined ? null : decodePart(input));
  const number = (input: string | undefined): number | null => (input === undefined ? null : Number(input));
  return {
    /** `last`, or the name of a set. */
    set: set as string,
    task: part(task),
    variant: part(variant),
    sample: part(sample),
    epoch: number(epoch),
    attempt: number(attempt),
  };
}

/** What somebody wrote for a trial; parts that were left out are null. */
export type TrialPattern = Readonly<NonNullable<ReturnType<typeof parseAddress>>>;

/** Whether an address may mean the trial. */
export function addressFits(pattern: TrialPattern, key: TrialKey): boolean {
  const { task, variant, sample, epoch } = pattern;
  const named =
    variant === null
      ? task === null || task === key.task || task === key.variant
      : task === key.task && variant === key.variant;
  return named && (sample === null || sample === key.sample) && (epoch === null || epoch === key.epoch);
}
