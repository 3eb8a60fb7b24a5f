/** A gate as data: what a figure must be for a build server to be content. */
export type GateOperator = ">=" | ">" | "<=" | "<";

export interface MetricRef {
  /** `success`, `SCORER`, `SCORER.PART`, `pass^4(SCORER)`, `cost_usd.p90` … */
  readonly metric: string;
  /** `/VARIANT`; null: all variants together. */
  readonly variant: string | null;
  /** `[field=value]`; null: all samples. */
  readonly group: { readonly field: string; readonly value: string } | null;
}

export type Gate = MetricRef & {
  /** As the author wrote it. */
  readonly text: string;
} & (
    | { readonly kind: "estimate" | "surely"; readonly op: GateOperator; readonly bound: number }
    /** The paired difference to the baseline. */
    | { readonly kind: "not_below" | "not_above"; readonly margin: number }
  );
