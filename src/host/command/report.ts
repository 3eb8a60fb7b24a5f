/**
 * What commands say to people: the one way from them to a terminal. Names, prompts, reasons, errors and whatever else a
 * text is made of may come from a model, a tool or a file, so all of it is made harmless here; nothing is left to the
 * place that puts it together. Text that has colours of ours in it was made harmless where it was painted: `reportPainted`.
 */
import { showJson, showText } from "../../diagnostics/index.ts";
import { ownProcess } from "../../process/index.ts";

/** To standard output. */
export function print(text: string): void {
  ownProcess().stdout.write(showText(text));
}

/** To standard error. */
export function reportError(text: string): void {
  ownProcess().stderr.write(showText(text));
}

/** A line of JSON to standard output: for programs, and still harmless on a terminal. */
export function reportAsJson(value: unknown, indent?: number): void {
  ownProcess().stdout.write(`${showJson(JSON.stringify(value, undefined, indent) ?? "null")}\n`);
}

/** The same of figures whose names are all ours: `costUsd` is `cost_usd`, as everything that harn writes for programs has it. */
export function reportFigures(figures: object): void {
  reportAsJson(snakeCased(figures));
}

function snakeCased(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(snakeCased);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name.replace(/([a-z])([A-Z])/gu, (_, end: string, next: string) => `${end}_${next.toLowerCase()}`),
      snakeCased(inner),
    ]),
  );
}

/** A line of a log, on standard output; whoever reads it may be gone. */
export function reportLog(line: string): void {
  ownProcess().stdout.write(showText(line), () => {});
}

/** What was asked for as data, such as a formatted program: byte by byte. */
export function reportData(text: string): void {
  ownProcess().stdout.write(text);
}

/** To standard output: our own escape codes are in it, and whatever came from outside has passed `showText`. */
export function reportPainted(text: string): void {
  ownProcess().stdout.write(text);
}

/** The same to standard error. */
export function reportPaintedError(text: string): void {
  ownProcess().stderr.write(text);
}
