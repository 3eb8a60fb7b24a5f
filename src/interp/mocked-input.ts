/**
 * Standard input that a script made up (`mock_stdin`): Runtime state, so that it is read again on replay and never recorded. While
 * there is one, nothing reads the machine's own; what asks people there finds nobody, so that no script answers for them.
 */
import type { Runtime, StateKey } from "./runtime.ts";

const mockedInput: StateKey<{ rest: string | undefined }> = {
  name: "mocked standard input",
  create: () => ({ rest: undefined }),
};

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
