/** Circuit breakers (builtins.md §2.16): stop calling what keeps failing, try again after a while. */
import type { StateKey, Task } from "../interp/index.ts";
import { defineBuiltins } from "../table/index.ts";
import { type Given, intOr, textOf } from "./arguments.ts";
import { wallClock } from "./clock-state.ts";

interface Circuit {
  readonly threshold: number;
  readonly resetMs: number;
  failures: number;
  /** When it opened; `undefined` while closed. */
  openedAt: number | undefined;
}

const circuitState: StateKey<Map<string, Circuit>> = { name: "circuits", create: () => new Map() };

function stateOf(task: Task, circuit: Circuit | undefined): "closed" | "open" | "half_open" {
  if (circuit?.openedAt === undefined) return "closed";
  return wallClock(task) - circuit.openedAt >= circuit.resetMs ? "half_open" : "open";
}

/** Counts a failure; true exactly when the circuit opens. */
function fail(task: Task, circuit: Circuit): boolean {
  const before = stateOf(task, circuit);
  if (before === "open") return false;
  circuit.failures++;
  if (before === "closed" && circuit.failures < circuit.threshold) return false;
  circuit.openedAt = wallClock(task);
  return true;
}

const common = { effect: "state", performs: true } as const;
const find = (task: Task, name: Given): Circuit | undefined =>
  task.runtime.state(circuitState).get(textOf(name));

function close(task: Task, name: Given): null {
  const circuit = find(task, name);
  if (circuit !== undefined) {
    circuit.failures = 0;
    circuit.openedAt = undefined;
  }
  return null;
}

export const circuits = defineBuiltins("concurrency", {
  circuit_breaker: {
    ...common,
    doc: "Makes (or resets) a circuit that opens after `threshold` failures and is tried again after `reset_ms`; gives its name.",
    sig: '(name: string = "default", threshold: int = 5, reset_ms: int = 30000) -> string',
    example: 'circuit_breaker("api", 3)  // api',
    run: (task, name: Given, threshold: Given, resetMs: Given) => {
      const key = textOf(name, "default");
      task.runtime.state(circuitState).set(key, {
        threshold: Math.max(1, intOr(threshold, 5)),
        resetMs: Math.max(0, intOr(resetMs, 30_000)),
        failures: 0,
        openedAt: undefined,
      });
      return key;
    },
  },
  circuit_check: {
    ...common,
    doc: "`closed` (call it), `open` (don't) or `half_open` (one trial).",
    sig: "(name: string) -> string",
    example: 'circuit_check("unknown")  // closed',
    run: (task, name: Given) => stateOf(task, find(task, name)),
  },
  circuit_record_failure: {
    ...common,
    doc: "Counts a failure: true exactly when the circuit opens.",
    sig: "(name: string) -> bool",
    example: 'circuit_record_failure("unknown")  // false',
    run: (task, name: Given) => {
      const circuit = find(task, name);
      return circuit !== undefined && fail(task, circuit);
    },
  },
  circuit_record_success: {
    ...common,
    doc: "Closes the circuit and forgets its failures.",
    sig: "(name: string) -> nil",
    run: (task, name: Given) => close(task, name),
  },
  circuit_reset: {
    ...common,
    doc: "Closes the circuit by hand.",
    sig: "(name: string) -> nil",
    run: (task, name: Given) => close(task, name),
  },
});
