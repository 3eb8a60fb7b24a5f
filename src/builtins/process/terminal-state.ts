/** What a run knows and pretends about its terminal: colour mode, mocked streams, captured standard error. */
import { shape } from "../../effects/index.ts";
import type { StandardStream } from "../../host/index.ts";
import { stateKey, type Task } from "../../interp/index.ts";
import { observe } from "../observe/observed.ts";

export interface TerminalState {
  colour: "auto" | "always" | "never";
  readonly mockedTty: Map<StandardStream, boolean>;
  /** Pieces written to standard error since `capture_stderr_start`. */
  capturedError: string[] | undefined;
}

export const terminalState = stateKey<TerminalState>("terminal", () => ({
  colour: "auto",
  mockedTty: new Map(),
  capturedError: undefined,
}));

/** Whether a stream is a terminal; honours `mock_tty`. */
export function isTty(task: Task, stream: StandardStream): boolean {
  const mocked = task.runtime.state(terminalState).mockedTty.get(stream);
  return mocked ?? observe(task, "is_tty", shape.flag, () => task.runtime.host.isTty(stream), stream);
}

const codes: ReadonlyMap<string, number> = new Map([
  ["bold", 1],
  ["dim", 2],
  ["gray", 90],
  ["grey", 90],
  ...["black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"].flatMap(
    (name, index): [string, number][] => [
      [name, 30 + index],
      [`bright_${name}`, 90 + index],
    ],
  ),
]);

/** The text between escapes, when colours are on and the name is known. */
export function colourText(task: Task, text: string, name: string): string {
  const code = codes.get(name);
  return code !== undefined && coloursOn(task) ? `\x1b[${code}m${text}\x1b[0m` : text;
}

function coloursOn(task: Task): boolean {
  const { colour } = task.runtime.state(terminalState);
  if (colour !== "auto") return colour === "always";
  const forced = observe(task, "color_env", shape.text, () => {
    const { env } = task.runtime.host;
    return env.has("FORCE_COLOR") ? "on" : env.has("NO_COLOR") ? "off" : "";
  });
  return forced === "" ? isTty(task, "stdout") : forced === "on";
}
