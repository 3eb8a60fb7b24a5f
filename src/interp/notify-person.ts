/** What a run says to the person who started it, as opposed to what its program prints. */
import { showText } from "../diagnostics/index.ts";
import type { Runtime } from "./runtime.ts";

/**
 * To standard error. Names, reasons and texts of errors come from models, tools and files, so everything is made
 * harmless on the way (`showText`).
 */
export function notifyPerson(runtime: Pick<Runtime, "console">, text: string): void {
  runtime.console.writeError(showText(text));
}
