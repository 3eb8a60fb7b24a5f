/** The step of a trial after which success falls most: where it was lost. */
import type { HistoryStep } from "../../effects/index.ts";
import { type ForkArmReport, forkArmText } from "../report/index.ts";

/** Continuations from one step on. */
export interface Probe {
  readonly step: number;
  readonly kind: string;
  readonly arm: ForkArmReport;
}

interface Pivot {
  /** Null: success does not fall, or a probe has nothing that is scored. */
  readonly pivot: number | null;
  /** In the order of the steps. */
  readonly probes: readonly Probe[];
}

/**
 * By bisection: of two neighbouring stretches the one over which more success is lost is halved. Before the first call all is open;
 * after the last one the trial is as it was.
 */
export async function pivotReport(
  calls: readonly HistoryStep[],
  succeeded: 0 | 1,
  probe: (step: HistoryStep) => Promise<Probe | undefined>,
): Promise<Pivot> {
  const probes: Probe[] = [];
  const inOrder = (): Probe[] => probes.toSorted((a, b) => a.step - b.step);
  const rateAt = async (at: number): Promise<number | undefined> => {
    const found = await probe(calls[at] as HistoryStep);
    if (found === undefined) return undefined;
    probes.push(found);
    return found.arm.rate as number;
  };
  let [from, to] = [0, calls.length];
  let rateFrom = await rateAt(from);
  let rateTo: number = succeeded;
  while (rateFrom !== undefined && to - from > 1) {
    const middle = Math.floor((from + to) / 2);
    const rate = await rateAt(middle);
    if (rate === undefined) return { pivot: null, probes: inOrder() };
    if (rateFrom - rate > rate - rateTo) [to, rateTo] = [middle, rate];
    else [from, rateFrom] = [middle, rate];
  }
  const isLost = rateFrom !== undefined && rateFrom > rateTo;
  return { pivot: isLost ? (calls[from] as HistoryStep).number : null, probes: inOrder() };
}

export function pivotText(trial: string, succeeded: 0 | 1, { pivot, probes }: Pivot): string {
  const lines = probes.map(
    ({ step, kind, arm }) =>
      `  from step ${String(step).padStart(3)} on (${kind})  ${forkArmText(arm)}${step === pivot ? "  ◀" : ""}`,
  );
  const said =
    pivot === null ? "success falls after none of its model calls" : `success falls most after step ${pivot}`;
  return [`${trial}: ${said}`, ...lines, `  as it ended  ${succeeded} of 1`]
    .map((line) => `${line}\n`)
    .join("");
}
