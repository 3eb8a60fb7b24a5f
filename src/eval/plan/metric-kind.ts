/** Names of metrics, as tasks, gates and commands write them: `success`, `pass^4(tone)`, `tokens.p90`, `judge.politeness`. */

export type MetricName =
  | { readonly kind: "success" }
  /** A scorer, one of its parts, a figure that trials measured: whichever the set has. */
  | { readonly kind: "score"; readonly scorer: string; readonly part: string | null }
  | {
      readonly kind: "pass";
      /** At least one of k passes, or all of k do. */
      readonly of: "any" | "all";
      readonly k: number;
      /** Null: of `success`. */
      readonly scorer: string | null;
    }
  | { readonly kind: "usage"; readonly field: UsageField; readonly percentile: number | null }
  | { readonly kind: "share"; readonly of: "errors" | "unscored" | "user_faults" | "flaky" }
  | { readonly kind: "total_cost_usd" }
  | { readonly kind: "icc" }
  /** Agreement of a scorer with people, of the judges of a panel with each other; F1 over the labels that a scorer reads. */
  | { readonly kind: "kappa" | "alpha" | "macro_f1"; readonly scorer: string };

export type UsageField = "cost_usd" | "tokens" | "turns" | "working_ms";

const usageFields: readonly UsageField[] = ["cost_usd", "tokens", "turns", "working_ms"];

const fixed: Readonly<Record<string, MetricName>> = {
  success: { kind: "success" },
  total_cost_usd: { kind: "total_cost_usd" },
  icc: { kind: "icc" },
  errors: { kind: "share", of: "errors" },
  unscored: { kind: "share", of: "unscored" },
  user_faults: { kind: "share", of: "user_faults" },
  flaky: { kind: "share", of: "flaky" },
};

/** Metrics that every set has, as they are written. */
export const commonMetrics: readonly string[] = [...Object.keys(fixed), ...usageFields];

/** Largest number of repetitions that a set has. */
const maxEpochs = 1000;

/**
 * Reads a name; undefined when it can't be one. `scorers` decide how far the name of a scorer reaches: `a.b` is the scorer
 * `a.b` where there is one, else part `b` of the scorer `a`.
 */
export function parseMetricName(text: string, scorers: readonly string[] = []): MetricName | undefined {
  if (scorers.includes(text)) return { kind: "score", scorer: text, part: null };
  const known = Object.hasOwn(fixed, text) ? fixed[text] : undefined;
  return known ?? passName(text) ?? usageName(text) ?? agreementName(text) ?? scoreName(text, scorers);
}

function passName(text: string): MetricName | undefined {
  const found = /^pass([@^])([0-9]{1,4})(?:\((.+)\))?$/u.exec(text);
  if (found === null) return undefined;
  const k = Number(found[2]);
  if (k < 1 || k > maxEpochs) return undefined;
  return { kind: "pass", of: found[1] === "@" ? "any" : "all", k, scorer: found[3] ?? null };
}

function usageName(text: string): MetricName | undefined {
  const found = /^([a-z_]+)(?:\.p(50|90|99))?$/u.exec(text);
  const field = usageFields.find((name) => name === found?.[1]);
  if (field === undefined) return undefined;
  return { kind: "usage", field, percentile: found?.[2] === undefined ? null : Number(found[2]) / 100 };
}

function agreementName(text: string): MetricName | undefined {
  const [, kind, scorer] = /^(kappa|macro_f1)\((.+)\)$/u.exec(text) ?? [];
  return scorer === undefined ? undefined : { kind: kind as "kappa" | "macro_f1", scorer };
}

function scoreName(text: string, scorers: readonly string[]): MetricName | undefined {
  if (!/^[\p{L}_#][^\s/[\]()^@]*$/u.test(text)) return undefined;
  const owner = scorers
    .filter((scorer) => text.startsWith(`${scorer}.`))
    .sort((a, b) => b.length - a.length)[0];
  const dot = text.indexOf(".");
  const scorer = owner ?? (dot > 0 ? text.slice(0, dot) : text);
  const part = text.length > scorer.length ? text.slice(scorer.length + 1) : null;
  if (part === "") return undefined;
  return part === "alpha" ? { kind: "alpha", scorer } : { kind: "score", scorer, part };
}

/** Whether less is better: costs, errors, faults. */
export const isCost = ({ kind }: MetricName): boolean =>
  kind === "usage" || kind === "share" || kind === "total_cost_usd";
