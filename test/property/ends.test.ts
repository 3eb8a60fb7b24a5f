/**
 * Whatever a model says (only claims, only silence, the same call for ever, claims beside failures), a loop with every guard on
 * ends, long before its turns do: refusing, nudging and warning are bounded.
 */
import fc from "fast-check";
import { expect, test } from "vitest";
import { fn } from "../support/agent-run.ts";
import { controlledRun, controlParts, modelWeather } from "../support/control-weather.ts";

const everything = () => ({
  ...controlParts.evidence?.(),
  ...controlParts.stall?.(),
  ...controlParts.jit?.(),
  ...controlParts.ladder?.(),
  ...controlParts.provider?.(),
});

const stops = {
  allows: () => ({ decision: "allow" }),
  blocks: () => ({ decision: "block", reason: "not yet" }),
};

test("a stubborn model ends a loop with every guard on", async () => {
  await fc.assert(
    fc.asyncProperty(
      modelWeather,
      fc.constantFrom("allows" as const, "blocks" as const),
      async (weather, hook) => {
        const hooks = { agent_stop: [fn(stops[hook])] };
        const { result, calls, sound } = await controlledRun(
          { ...everything(), hooks },
          { ...weather, stubborn: true },
          120,
        );
        expect(sound).toBe(true);
        expect(result.status).not.toBe("budget_exhausted");
        expect(calls.length).toBeLessThan(60);
      },
    ),
    { numRuns: 40 },
  );
});
