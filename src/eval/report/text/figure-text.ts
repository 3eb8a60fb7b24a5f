/** Figures as people read them. */

import { parseMetricName } from "../../plan/index.ts";
import type { Figure } from "../metrics/figures.ts";

/** How a metric's numbers are written. */
export type FigureUnit = "share" | "dollars" | "count" | "milliseconds" | "number";

export function unitOf(metric: string): FigureUnit {
  const name = parseMetricName(metric);
  switch (name?.kind) {
    case "total_cost_usd":
      return "dollars";
    case "usage":
      if (name.field === "cost_usd") return "dollars";
      if (name.field === "working_ms") return "milliseconds";
      return name.field === "tokens" ? "count" : "number";
    case "success":
    case "pass":
    case "share":
    case "icc":
    case "kappa":
    case "alpha":
    case "macro_f1":
      return "share";
    default:
      return "number";
  }
}

/** `0.820`, `0.0054`, `1,204`, `7 min 12 s`. */
export function valueText(value: number | null, unit: FigureUnit): string {
  if (value === null) return "-";
  switch (unit) {
    case "dollars":
      return value.toFixed(4);
    case "count":
      return thousands(value);
    case "milliseconds":
      return timeText(value);
    case "share":
      return value.toFixed(3);
    case "number":
      return Math.abs(value) >= 1000 ? thousands(value) : value.toFixed(3);
  }
}

const thousands = (value: number): string => Math.round(value).toLocaleString("en-US");

/** `0.820 [0.731, 0.884]`, without brackets where there is no interval. */
export function figureText(figure: Figure): string {
  const unit = unitOf(figure.name);
  const value = valueText(figure.value, unit);
  return figure.low === null || figure.high === null
    ? value
    : `${value} [${valueText(figure.low, unit)}, ${valueText(figure.high, unit)}]`;
}

/** `+0.050`, `-0.020`; a difference of 0 has a plus. */
export const signedText = (value: number | null, unit: FigureUnit): string =>
  value === null ? "-" : `${value < 0 ? "-" : "+"}${valueText(Math.abs(value), unit)}`;

/** `-0.020 [-0.081, +0.041]` */
export function differenceText(
  value: number | null,
  low: number | null | undefined,
  high: number | null | undefined,
  unit: FigureUnit,
): string {
  const text = signedText(value, unit);
  if (low === null || low === undefined || high === null || high === undefined) return text;
  return `${text} [${signedText(low, unit)}, ${signedText(high, unit)}]`;
}

/** `$4.31`; small amounts keep their digits. */
export function dollarText(value: number | null): string {
  if (value === null) return "cost unknown";
  return value > 0 && value < 0.1 ? `$${value.toFixed(4)}` : `$${value.toFixed(2)}`;
}

/** `0.4 s`, `12 s`, `7 min 12 s`, `2 h 5 min`. */
export function timeText(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 10_000) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${seconds % 60} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** `p 0.110`; below what is worth digits, a bound. */
export const pText = (p: number): string => (p < 0.001 ? "p < 0.001" : `p ${p.toFixed(3)}`);

/** `1 sample`, `50 samples`. */
export const countedText = (count: number, noun: string): string =>
  `${separatedCount(count)} ${noun}${count === 1 ? "" : "s"}`;

/** Formatting by locale loads its tables first: 15 ms. */
const separatedCount = (count: number): string =>
  Number.isSafeInteger(count)
    ? String(count).replace(/\B(?=(?:\d{3})+$)/g, ",")
    : count.toLocaleString("en-US");

/** The digest of a receipt, short. */
export const shortDigest = (digest: string): string => `${digest.slice(0, 8)}…`;
