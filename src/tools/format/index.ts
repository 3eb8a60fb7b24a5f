/** The formatter. */
import { renderDiff } from "../test/diff.ts";

export { FormatFault, type FormatOptions, type FormatResult, format } from "./format.ts";

/** How a text would change: lines that go (`-`) and come (`+`), with a few lines around. */
export function renderChange(before: string, after: string, colour: boolean): string {
  const [, , ...lines] = renderDiff(before.split("\n"), after.split("\n"), colour).split("\n");
  return lines.join("\n");
}
