/**
 * What commands say to people: the one way from them to a terminal. Names, prompts, reasons, errors and whatever else a
 * text is made of may come from a model, a tool or a file, so all of it is made harmless here; nothing is left to the
 * place that puts it together. Text that has colours of ours in it was made harmless where it was painted: `tellPainted`.
 */
import { showJson, showText } from "../diagnostics/index.ts";

/** To standard output. */
export function tell(text: string): void {
  process.stdout.write(showText(text));
}

/** To standard error. */
export function tellError(text: string): void {
  process.stderr.write(showText(text));
}

/** A line of JSON to standard output: for programs, and still harmless on a terminal. */
export function tellJson(value: unknown, indent?: number): void {
  process.stdout.write(`${showJson(JSON.stringify(value, undefined, indent) ?? "null")}\n`);
}

/** A line of a log, on standard output; whoever reads it may be gone. */
export function tellLog(line: string): void {
  process.stdout.write(showText(line), () => {});
}

/** What was asked for as data, such as a formatted program: byte by byte. */
export function tellData(text: string): void {
  process.stdout.write(text);
}

/** To standard output: our own escape codes are in it, and whatever came from outside has passed `showText`. */
export function tellPainted(text: string): void {
  process.stdout.write(text);
}

/** The same to standard error. */
export function tellPaintedError(text: string): void {
  process.stderr.write(text);
}
