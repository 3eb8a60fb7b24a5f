/**
 * Requests per minute and provider (agents.md §1.8): a call that comes too early waits for its turn. Mock answers do
 * not count. The clock is the run's, so a replay waits at the same places.
 */
import type { Task } from "../../interp/index.ts";
import { pauseTask, scriptMonotonicMs } from "../../interp/index.ts";

const minute = 60_000;

/** `HARN_RATE_LIMIT_OPENAI` and the like. */
export const rateLimitVariable = (provider: string): string =>
  `HARN_RATE_LIMIT_${provider.toUpperCase().replace(/[^A-Z0-9]/g, "_")}`;

export class RateLimits {
  private readonly limits = new Map<string, number>();
  /** When the latest requests of a provider began or will begin, oldest first; at most as many as its limit. */
  private readonly begun = new Map<string, number[]>();
  private readonly env: (name: string) => string | undefined;

  constructor(env: (name: string) => string | undefined) {
    this.env = env;
  }

  /** Requests per minute; null without a limit. */
  get(provider: string): number | null {
    const own = this.limits.get(provider);
    if (own !== undefined) return own === 0 ? null : own;
    const value = Number(this.env(rateLimitVariable(provider)) ?? "");
    return Number.isInteger(value) && value > 0 ? value : null;
  }

  /** 0 lifts the limit, the environment's too. */
  set(provider: string, perMinute: number): void {
    this.limits.set(provider, perMinute);
  }

  /** Waits until one more request may begin. */
  async turn(task: Task, provider: string): Promise<void> {
    const limit = this.get(provider);
    if (limit === null) return;
    const begun = this.begun.get(provider) ?? [];
    this.begun.set(provider, begun);
    const now = scriptMonotonicMs(task);
    // The place is taken before anything waits: calls side by side queue up behind each other.
    const earliest =
      begun.length < limit ? now : Math.max(now, (begun[begun.length - limit] as number) + minute);
    begun.push(earliest);
    if (begun.length > limit) begun.splice(0, begun.length - limit);
    if (earliest > now) await pauseTask(task, Math.ceil(earliest - now));
  }
}
