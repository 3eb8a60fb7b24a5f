/** What the types of an agent's options allow is what `agent_loop` takes: a value of each form of each option is given to one. */
import { afterAll, describe, expect, it } from "vitest";
import { loopFields } from "../../../src/agent/index.ts";
import { harn } from "../../../src/library/index.ts";
import { type OptionName, optionNames } from "../../../src/library/loop-names.ts";
import { SingleSamples } from "../../support/loop-samples.ts";
import { tempFolder } from "../../support/temp-folder.ts";

const folder = tempFolder("agent-values");
const h = harn({ cwd: folder, store: false, env: {}, mock: [{ text: "Hello." }] });
afterAll(() => h.close());

const offered = [...optionNames(loopFields).values()].filter(({ leftOut }) => leftOut === null);

const promptId = "agent.continuation_prompt";
const route = { provider: "mock" };
/** Texts that mean something, and what a dict needs where it needs one of several options, which an interface can't say. */
const samples = new SingleSamples({
  id: "one",
  name: "one",
  provider: "mock",
  url: "http://127.0.0.1:9",
  command: "true",
  protocol_version: "2025-11-25",
  require: "tools",
  thinking: { mode: "disabled" },
  candidates: route,
  fallback_chain: route,
  "prompts[]": promptId,
  "prompt_overrides[]": promptId,
  required_outputs: {},
});

/** What has to be given with an option that is of daemons alone. One never ends: its time is the run's. */
const daemon = { daemon: true, timeout: 200 };
const beside: Readonly<Record<string, object>> = {
  daemon,
  wakeIntervalMs: daemon,
  watchPaths: daemon,
  consolidateOnIdle: daemon,
  idleWatchdogAttempts: daemon,
};

/** Refused for what a value says, and not for its form; the types say neither. */
const forOtherReasons: readonly RegExp[] = [
  // One of several options has to be there.
  /: expected (?:either|one of) `|expected \{path\} or \{text\}|requires `name` or|`(?:command|url)` is missing/,
  /expected a mode, got nil|expected a file or glob|says the same as/,
  // There is nothing of that name.
  /no server named|failed to spawn|ended the connection|Failed to read template|bad port|unknown structural experiment/,
  /expected names of capabilities|unknown option "own"|expected a date like|Unknown provider/,
  // The model of the test can't do it.
  /is not supported by/,
  // Bounds that are not among the values.
  /expected float above 0/,
  // Of daemons alone, in a dict with the rows of the loop.
  /`daemon`: expected true for `/,
  // Data that a run made, or what another option has.
  /expected transcript, got dict|has no role|`completion.evidence` is "contract"|belong(?:s)? together|needs `client/,
];

/** All that is refused of an option, in words. */
async function refusalsOf({ name, forms, row }: OptionName): Promise<string[]> {
  const refusals: string[] = [];
  for (const value of samples.of(forms, row)) {
    const { error } = await h.agent({ prompt: "Hi.", timeout: 5_000, ...beside[name], [name]: value }).done;
    // It began, and did not come to an end that counts as one.
    if (error === undefined || ["HARN-LIB-008", "HARN-LIB-003"].includes(error.code)) continue;
    if (!forOtherReasons.some((reason) => reason.test(error.message)))
      refusals.push(`${JSON.stringify(value)}: ${error.message}`);
  }
  return refusals;
}

describe("a value of each form is taken", () => {
  it.each(offered.map((option): [string, OptionName] => [option.name, option]))("%s", async (_, option) => {
    expect(await refusalsOf(option)).toEqual([]);
  });
});
