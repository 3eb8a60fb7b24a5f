/**
 * The person who started a run: what it says to them, as opposed to what its program prints, and standard input that a script made
 * up in their place (`mock_stdin`).
 */
import { showText } from "../diagnostics/index.ts";
import { type Runtime, stateKey } from "./runtime.ts";

/**
 * To standard error. Names, reasons and texts of errors come from models, tools and files, so everything is made
 * harmless on the way (`showText`).
 */
export function notifyPerson(runtime: Pick<Runtime, "console">, text: string): void {
  runtime.console.writeError(showText(text));
}

/**
 * Runtime state, so that it is read again on replay and never recorded. While there is one, nothing reads the machine's own; what
 * asks people there finds nobody, so that no script answers for them.
 */
const mockedInput = stateKey<{ rest: string | undefined }>("mocked standard input", () => ({
  rest: undefined,
}));

/** `undefined` gives the machine's own back, where it was. */
export function mockInput(runtime: Runtime, text: string | undefined): void {
  runtime.state(mockedInput).rest = text;
}

export const isInputMocked = (runtime: Runtime): boolean => runtime.state(mockedInput).rest !== undefined;

/** The next line without its break; nil after the last one. A final line break makes no further line. */
export function takeMockedLine(runtime: Runtime): string | null {
  const state = runtime.state(mockedInput);
  const text = state.rest ?? "";
  if (text === "") return null;
  const end = text.indexOf("\n");
  state.rest = end < 0 ? "" : text.slice(end + 1);
  return (end < 0 ? text : text.slice(0, end)).replace(/\r$/, "");
}

/** All that is left. */
export function takeMockedRest(runtime: Runtime): string {
  const state = runtime.state(mockedInput);
  const text = state.rest ?? "";
  state.rest = "";
  return text;
}
