/**
 * `harn/ai-sdk`: an agent of harn as a harness of AI SDK 7, so that `HarnessAgent` (of `@ai-sdk/harness/agent`), `useChat` and their UI
 * work with it.
 *
 *     const agent = new HarnessAgent({ harness: harnHarness(h, { tools: [lookup] }), sandbox: noSandbox });
 *     const session = await agent.createSession();
 *     const { stream } = await agent.stream({ session, prompt });
 *
 * It names no package of AI SDK: what both sides must agree on is written in `ai-sdk/contract.ts`, and checked against theirs by a test.
 */
export type * from "./ai-sdk/contract.ts";
export { harnHarness } from "./ai-sdk/harness.ts";
export type { HarnessOptions } from "./ai-sdk/harness-options.ts";
export { noSandbox } from "./ai-sdk/no-sandbox.ts";
export type * from "./types.ts";
