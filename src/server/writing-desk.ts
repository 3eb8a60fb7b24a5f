/** Papers and library as the rules of the server let requests touch them. */
import { createHash } from "node:crypto";
import { EmbeddedOperations } from "../durable/index.ts";
import { StoreError } from "../store/index.ts";
import { WritingStore } from "../writing/durable/index.ts";
import { uuid7 } from "./clock.ts";
import type { RequestContext } from "./context.ts";
import { HttpProblem, notFound } from "./problems.ts";

export function writingStoreOf({ services }: RequestContext): WritingStore {
  const { store, clock } = services;
  return new WritingStore(new EmbeddedOperations(store), {
    now: () => clock.now(),
    uuid: () => uuid7(clock),
    sha256: (one) => createHash("sha256").update(one).digest("hex"),
  });
}

/** What the rules of papers forbid is said as it is: it names nothing of the machine. */
export function inRules<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof StoreError && (error.fault === "invalid" || error.fault === "exists"))
      throw new HttpProblem("invalid", [error.message, ...error.advice].join("; "));
    if (error instanceof StoreError && error.fault === "missing")
      throw notFound("section, version or reference");
    throw error;
  }
}
