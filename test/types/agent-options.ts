/** What the types of agents' options take and refuse; `npm run check:types` reads it. Nothing here runs. */
import type { LoopOptions } from "../../src/library/agent-options.ts";
import type { AgentOptions, RunOptions } from "../../src/library/types.ts";

export const right: LoopOptions[] = [
  { system: "Be brief.", maxIterations: 3, model: "m", provider: "p", topP: 0.5 },
  { profile: "verifier", iterationBudget: "adaptive" },
  { iterationBudget: { mode: "adaptive", consecutiveFailures: { max: 2, kinds: ["timeout"] } } },
  { stopAfterSuccessfulTools: "deploy", requireSuccessfulTools: [["a", "b"], "c"] },
  { policy: false, permissions: { deny: "rm_*" }, approvalPolicy: { requireApproval: ["write_*"] } },
  { compaction: true, scratchpad: { initial: { goals: [{ text: "x", sourceRef: "y" }] } } },
  { control: { mode: "autonomous", maxIterations: 9 } },
  { anthropic: { top_k: 1 }, llmOptions: { timeout: 2.5, openai: { anything: [1] } } },
  { workItems: [{ id: "a", title: "A", check: { type: "file_exists", path: "a.txt" } }] },
  { fallbackChain: ["small", { modelTier: "mid" }], toolChoice: { name: "lookup" } },
];

export const wrong: LoopOptions[] = [
  // @ts-expect-error a name of scripts
  { max_iterations: 3 },
  // @ts-expect-error no such option
  { maxIteration: 3 },
  // @ts-expect-error a text for a number
  { maxIterations: "3" },
  // @ts-expect-error no such profile
  { profile: "writer" },
  // @ts-expect-error a function needs a script
  { compaction: () => "x" },
  // @ts-expect-error callbacks need a script
  { onEvent: () => undefined },
  // @ts-expect-error deeper names count, too
  { iterationBudget: { extendsBy: 1 } },
  // @ts-expect-error `true` says nothing
  { policy: true },
  // @ts-expect-error `title` belongs to an item, `id` has to be there
  { workItems: [{ title: "A" }] },
  // @ts-expect-error a predicate of another type has no `path`
  { workItems: [{ id: "a", check: { type: "command", command: "make", path: "a" } }] },
  // @ts-expect-error tools are the library's own
  { tools: [] },
  // @ts-expect-error `control` can't hold itself
  { control: { control: true } },
];

/** No option of the run means something else for the loop. */
type Shared = keyof LoopOptions & keyof RunOptions;
export const nothingIsShared: [Shared] extends [never] ? true : Shared = true;

export const agent: AgentOptions = { prompt: "Count.", maxTurns: 2, timeout: 1000, timeoutMs: 500 };
