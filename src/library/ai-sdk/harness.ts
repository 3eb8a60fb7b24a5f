/** `harnHarness()`: the harness. A session is a conversation; a turn of it is a run of `h.agent`, recorded as any other. */
import { harnError } from "../errors.ts";
import { calledBy } from "../handles/call-site.ts";
import { agentLoopOptions } from "../loop-options.ts";
import { agentOptions, checkWord, harn } from "../option-checks.ts";
import { harnessKinds } from "../option-tables.ts";
import type { Harn } from "../types.ts";
import type { Harness, ResumeState, StartOptions } from "./contract.ts";
import { type HarnessOptions, harnessId } from "./harness-options.ts";
import { ConversationSession, type SessionData } from "./session.ts";

/**
 * Agents of `h` as a harness of AI SDK. The agent works where `h` does, with its rules and its store: `noSandbox` stands in for the sandbox
 * that `HarnessAgent` asks for. Tools of the options are called here, those of `HarnessAgent` by it; both are recorded.
 *
 * A turn that is suspended is a run that is stopped: it goes on, in this process or in another one, where it was.
 */
export function harnHarness(h: Harn, options: HarnessOptions = {}): Harness {
  calledBy(harnHarness, () => {
    checkWord("harnHarness", "the first argument", h, harn);
    checkHarness(options);
  });
  return {
    specificationVersion: "harness-v1",
    harnessId,
    builtinTools: Object.fromEntries(
      (options.tools ?? []).map(({ name, description, parameters }) => [
        name,
        { description, inputSchema: asItComes(parameters) },
      ]),
    ),
    doStart: async (start) => new ConversationSession(h, options, start.sessionId, sessionData(start)),
  };
}

/** What of an agent's options belongs to a turn: whoever gives it here would see nothing of it. */
const ofTurns: ReadonlyMap<string, string> = new Map([
  ["prompt", "each turn brings its own"],
  ["output", "a turn gives text; `h.agent({output})` gives data"],
  ["signal", "each turn brings its own; that of `harn({signal})` stops all"],
  ["name", "each turn is a run of a name of its own"],
]);

function checkHarness(options: unknown): void {
  const { loop } = agentOptions("harnHarness", options, harnessKinds);
  for (const name of Object.keys(loop)) {
    const why = ofTurns.get(name);
    if (why !== undefined)
      throw harnError("HARN-LIB-001", `harnHarness: there is no option \`${name}\`: ${why}`);
  }
  agentLoopOptions(loop, "harnHarness");
}

/** The tool validates its input itself. */
const asItComes = (parameters: unknown) => ({
  "~standard": {
    version: 1,
    vendor: "harn",
    validate: (value: unknown) => ({ value }),
    jsonSchema: { input: () => parameters, output: () => parameters },
  },
});

function sessionData({ resumeFrom, continueFrom, headers }: StartOptions): SessionData | undefined {
  if (headers !== undefined)
    throw harnError(
      "HARN-LIB-001",
      "harnHarness: `headers` of model requests can't be set; `harn({fetch})` can",
    );
  const state: ResumeState | StartOptions["continueFrom"] =
    continueFrom ?? resumeFrom?.continueFrom ?? resumeFrom;
  if (state === undefined) return undefined;
  const { data } = state;
  if (state.harnessId !== harnessId || typeof data !== "object" || data === null || Array.isArray(data))
    throw harnError("HARN-LIB-001", `harnHarness: this is no state of a session of ${harnessId}`);
  return data as SessionData;
}
