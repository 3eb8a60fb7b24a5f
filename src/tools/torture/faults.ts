/** What can go wrong at one effect of a run. */

export type Kill = "before the intent" | "before it happens" | "after it happened" | "after the result";

export type ModelFault = "timeout" | "rate limit (429)" | "malformed JSON" | "cut stream";

export type TortureFault =
  /** The process dies. */
  | { readonly kind: "kill"; readonly when: Kill }
  /** The journal can't be written any more. */
  | { readonly kind: "disk full" }
  /** A model does not answer as it should. */
  | { readonly kind: "model"; readonly fault: ModelFault };

const kills: readonly Kill[] = [
  "before the intent",
  "before it happens",
  "after it happened",
  "after the result",
];
const modelFaults: readonly ModelFault[] = ["timeout", "rate limit (429)", "malformed JSON", "cut stream"];

/** All faults of an effect of this class. */
export function faultsFor(effect: string): TortureFault[] {
  const faults: TortureFault[] = kills.map((when) => ({ kind: "kill", when }));
  faults.push({ kind: "disk full" });
  if (effect === "model") for (const fault of modelFaults) faults.push({ kind: "model", fault });
  return faults;
}

export function describeFault(fault: TortureFault): string {
  if (fault.kind === "kill") return `killed ${fault.when}`;
  return fault.kind === "disk full" ? "disk full" : fault.fault;
}
