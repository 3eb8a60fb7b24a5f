/** The examples in the table are programs: each is run and its result compared. */
import { describe, expect, it } from "vitest";
import { builtinTable } from "../../../src/builtins/index.ts";
import { runScript } from "../../support/run-script.ts";

const examples = [...builtinTable().values()].flatMap(({ name, area, example, effect }) => {
  if (example === undefined) return [];
  const at = example.lastIndexOf("  // ");
  const [code, expected] = at < 0 ? [example, undefined] : [example.slice(0, at), example.slice(at + 5)];
  return [{ name, area, code, expected, effect }];
});

describe("examples of builtins", () => {
  it.each(examples.map((example) => [`${example.area}: ${example.code}`, example] as const))(
    "%s",
    async (_title, { code, expected }) => {
      const run = await runScript(`print(${code})`);
      expect(run.error).toBe("");
      if (expected !== undefined) expect(run.stdout).toBe(expected);
    },
  );

  // The tool registry works on dicts too long for one line; its tests are golden programs.
  it("exist for every pure builtin that returns", () => {
    const without = [...builtinTable().values()].filter(
      ({ area, effect, example, sig }) =>
        effect === "pure" && area !== "tools" && example === undefined && !/-> (never|nil)$/.test(sig),
    );
    expect(without.map(({ name }) => name)).toEqual([]);
  });
});
