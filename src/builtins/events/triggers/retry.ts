/** How often a failed handler is tried again, and after how long. */
import { backoffMs } from "../../../effects/index.ts";

export type BackoffKind = "svix" | "immediate" | "exponential";

export interface RetryPolicy {
  /** Attempts in all. */
  readonly max: number;
  readonly backoff: BackoffKind;
  /** First pause of `exponential`; each one doubles. */
  readonly baseMs: number;
}

export const noRetry: RetryPolicy = { max: 1, backoff: "svix", baseMs: 0 };

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;

/** The schedule of Svix, which senders of webhooks follow: soon at first, then over a day. */
const svix = [5 * second, 5 * minute, 30 * minute, 2 * hour, 5 * hour, 10 * hour];

/** Exponential pauses stop growing here. */
const maxMs = 10 * hour;

/** The pause before attempt `n + 1`, after `n` have failed. */
export function pauseAfter(policy: RetryPolicy, failed: number): number {
  switch (policy.backoff) {
    case "immediate":
      return 0;
    case "exponential":
      return backoffMs({ baseMs: policy.baseMs, maxMs }, failed);
    case "svix":
      return svix[Math.min(failed, svix.length) - 1] as number;
  }
}
