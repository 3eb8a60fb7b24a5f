/**
 * `harn/testing`: a program with agents, tested without network, keys and waiting. Functions, no framework: they give data, which any
 * test runner compares.
 *
 *     const h = testHarn({ mock: [{ text: "42" }] });
 *     const end = await h.agent({ prompt: "…" }).done;
 *
 *     const result = await replayOf("recorded.run", { script: "main.harn", tools: [lookup] });
 *     assert(result.same, result.difference?.message);
 *
 *     const ledger = await killAtEachRecord((h) => h.run("main.harn", { tools: [pay] }));
 *     assert.deepEqual(ledger.twice, []);
 */
export { type Kill, killAtEachRecord, type Ledger, type ToolCalls } from "./testing/kills.ts";
export { type Difference, type ReplayResult, replayOf } from "./testing/replay-of.ts";
export { testHarn } from "./testing/test-harn.ts";
export type * from "./types.ts";
