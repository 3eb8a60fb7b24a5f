/** The entry of the loop contract's log: eleven types, versioned, numbered from 0 without gaps. */
import type { ContractData, ContractType } from "../run-event.ts";

/** Version of the envelope and of the data. Raise it when a reader of old logs would go wrong. */
const eventVersion = 1;

/** The session and the tool call under which this session was started. */
export interface ParentRef {
  readonly session: string;
  readonly call: string | null;
}

/** An event that the loop's machine has emitted. */
export type ContractEvent = {
  readonly [T in ContractType]: { readonly type: T; readonly data: ContractData[T] };
}[ContractType];

export type LoopEvent = {
  [T in ContractType]: {
    readonly v: typeof eventVersion;
    /** Position in the stream of this session. */
    readonly n: number;
    readonly type: T;
    readonly session: string;
    readonly parent: ParentRef | null;
    /** What the driver said the time was; `null` when it never did. */
    readonly at: number | null;
    readonly data: Readonly<ContractData[T]>;
  };
}[ContractType];

interface LogPlace {
  readonly n: number;
  readonly session: string;
  readonly parent: ParentRef | null;
  readonly at: number | null;
}

/** A copy: who changes what it was made of does not change it. Who hands it to readers freezes it. */
export const contractEntry = (
  { type, data }: ContractEvent,
  { n, session, parent, at }: LogPlace,
): LoopEvent =>
  ({ v: eventVersion, n, type, session, parent, at, data: copyPlain(data) }) as unknown as LoopEvent;

/** A deep copy of plain data; what is not plain (functions, class instances) is shared. */
export function copyPlain(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(copyPlain);
  const prototype = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return value;
  const copy: Record<string, unknown> = prototype === null ? Object.create(null) : {};
  for (const key of Object.keys(value)) {
    const part = copyPlain((value as Record<string, unknown>)[key]);
    // Assigned, it would set the prototype.
    if (key === "__proto__") Object.defineProperty(copy, key, { ...ownProperty, value: part });
    else copy[key] = part;
  }
  return copy;
}

const ownProperty = { writable: true, enumerable: true, configurable: true };

/** Freezes plain data through and through. */
export function frozen<T>(value: T): T {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  const prototype: unknown = Object.getPrototypeOf(value);
  if (!Array.isArray(value) && prototype !== Object.prototype && prototype !== null) return value;
  for (const part of Object.values(value)) frozen(part);
  return Object.freeze(value);
}
