/** Circuit breakers (builtins.md §2.16): stop calling what keeps failing, try again after a while. */
import { stateKey, type Task } from "../../interp/index.ts";
import { defineBuiltins } from "../../table/index.ts";
import { type Argument, intOr, textOf } from "../arguments.ts";
import { wallClock } from "../time/clock-state.ts";

/** Stops calling what fails `threshold` times in a row; lets one call through again after `resetMs`. */
export class Breaker {
  private readonly threshold: number;
  private readonly resetMs: number;
  private failures = 0;
  /** When it opened; `undefined` while closed. */
  private openedAt: number | undefined;

  constructor(threshold: number, resetMs: number) {
    this.threshold = threshold;
    this.resetMs = resetMs;
  }

  /** The clock is looked at only when it matters: each look of a program is journalled. */
  state(now: () => number): "closed" | "open" | "half_open" {
    if (this.openedAt === undefined) return "closed";
    return now() - this.openedAt >= this.resetMs ? "half_open" : "open";
  }

  /** Counts a failure; true exactly when the circuit opens. */
  failed(now: () => number): boolean {
    const before = this.state(now);
    if (before === "open") return false;
    this.failures++;
    if (before === "closed" && this.failures < this.threshold) return false;
    this.openedAt = now();
    return true;
  }

  close(): void {
    this.failures = 0;
    this.openedAt = undefined;
  }
}

const circuitState = stateKey<Map<string, Breaker>>("circuits", () => new Map());

const common = { effect: "state", performs: true } as const;
const find = (task: Task, name: Argument): Breaker | undefined =>
  task.runtime.state(circuitState).get(textOf(name));

function close(task: Task, name: Argument): null {
  find(task, name)?.close();
  return null;
}

export const circuits = defineBuiltins("concurrency", {
  circuit_breaker: {
    ...common,
    doc: "Makes (or resets) a circuit that opens after `threshold` failures and is tried again after `reset_ms`; gives its name.",
    sig: '(name: string = "default", threshold: int = 5, reset_ms: int = 30000) -> string',
    example: 'circuit_breaker("api", 3)  // api',
    run: (task, name: Argument, threshold: Argument, resetMs: Argument) => {
      const key = textOf(name, "default");
      const breaker = new Breaker(Math.max(1, intOr(threshold, 5)), Math.max(0, intOr(resetMs, 30_000)));
      task.runtime.state(circuitState).set(key, breaker);
      return key;
    },
  },
  circuit_check: {
    ...common,
    doc: "`closed` (call it), `open` (don't) or `half_open` (one trial).",
    sig: "(name: string) -> string",
    example: 'circuit_check("unknown")  // closed',
    run: (task, name: Argument) => find(task, name)?.state(() => wallClock(task)) ?? "closed",
  },
  circuit_record_failure: {
    ...common,
    doc: "Counts a failure: true exactly when the circuit opens.",
    sig: "(name: string) -> bool",
    example: 'circuit_record_failure("unknown")  // false',
    run: (task, name: Argument) => find(task, name)?.failed(() => wallClock(task)) ?? false,
  },
  circuit_record_success: {
    ...common,
    doc: "Closes the circuit and forgets its failures.",
    sig: "(name: string) -> nil",
    run: (task, name: Argument) => close(task, name),
  },
  circuit_reset: {
    ...common,
    doc: "Closes the circuit by hand.",
    sig: "(name: string) -> nil",
    run: (task, name: Argument) => close(task, name),
  },
});
