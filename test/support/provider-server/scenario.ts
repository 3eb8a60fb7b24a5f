/** What the test server does with one request. */

/** A tool call as the model makes it; `args` is the raw text, so that it can be malformed. */
export interface ScenarioCall {
  id: string;
  name: string;
  args: string;
}

/** An answer in no vendor's words; the wire modules put it into theirs. */
export interface AnswerScenario {
  kind: "answer";
  text?: string;
  thinking?: string;
  calls?: ScenarioCall[];
  usage?: { input: number; output: number; cacheRead?: number; cacheWrite?: number; reasoning?: number };
  /** In the neutral vocabulary of the port. */
  stop?: "end_turn" | "tool_use" | "max_tokens" | "refusal";
  /** Characters per piece of text and arguments. */
  piece?: number;
  /** Milliseconds between two pieces. */
  paceMs?: number;
  /** Sends the stream in packets of so many bytes, whatever they cut through. */
  packet?: number;
  /** Breaks the connection after this many events. */
  cutAfter?: number;
  /** Goes silent for ever after this many events. */
  hangAfter?: number;
  /** Ends the body properly after this many events, without the closing ones. */
  endAfter?: number;
}

export type Scenario =
  | AnswerScenario
  | { kind: "status"; status: number; headers?: { [name: string]: string }; body: unknown }
  | { kind: "html"; status?: number; html: string }
  /** Sends pieces of text, or one line, until the client hangs up. */
  | { kind: "endless"; what: "text" | "line" }
  /** Accepts the request and never answers. */
  | { kind: "hang" }
  /** A body as it is; `cut` breaks the connection behind it. */
  | { kind: "bytes"; status: number; type: string; body: Uint8Array; cut: boolean }
  /** Closes the connection before any answer. */
  | { kind: "drop" }
  /** Lines of a cassette: `{event?, data}` each. */
  | { kind: "raw"; events: WireEvent[] };

/** One server-sent event. `data` is sent as JSON unless it is a string. */
export interface WireEvent {
  event?: string;
  data: unknown;
}

/** Cuts a text into pieces. */
export function pieces(text: string, size: number): string[] {
  const out: string[] = [];
  for (let i = 0; i < text.length; i += size) out.push(text.slice(i, i + size));
  return out;
}
