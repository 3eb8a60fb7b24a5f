/**
 * A part of the loop is read only where one of its rows is given, so it may look at no other: an option that it looked at
 * beside them would count in some loops and not in others.
 */
import { describe, expect, test } from "vitest";
import { loopFields } from "../../../../src/agent/options/loop-fields.ts";
import { loopOptionsOf, parts } from "../../../../src/agent/options/loop-options.ts";
import { Dict } from "../../../../src/values/index.ts";

const names = ({ of }: (typeof parts)[keyof typeof parts]): string[] =>
  "plan" in of ? [...of.plan.byKey.keys()] : [...of];

/** The rows that a part looks at when it is read. */
function looked(part: (typeof parts)[keyof typeof parts]): string[] {
  const seen = new Set<string>();
  const byField = new Map([...loopFields.plan.byKey.values()].map(({ name, as }) => [as, name]));
  const read = new Proxy(loopFields.usual, {
    get(target, field: string) {
      seen.add(byField.get(field) ?? field);
      return target[field as keyof typeof target];
    },
  });
  const options = new Dict();
  options.get = (name) => void seen.add(name);
  options.has = (name) => {
    seen.add(name);
    return false;
  };
  part.read({ input: options, options, read, mode: null, caller: "agent_loop", matches: null });
  return [...seen];
}

describe("a part looks at its own rows only", () => {
  test.each(Object.entries(parts))("%s", (_name, part) => {
    const known = new Set(names(part).map((name) => loopFields.plan.byKey.get(name)?.name));
    expect(looked(part).filter((name) => !known.has(loopFields.plan.byKey.get(name)?.name))).toEqual([]);
  });
});

test("what is not given reads as in a loop without options, whatever else is", () => {
  const usual = loopOptionsOf(new Dict());
  const read = loopOptionsOf(Dict.of({ max_iterations: 3 }));
  const { maxIterations, iterationBudget, raw, input, ...rest } = read;
  const { maxIterations: _m, iterationBudget: _b, raw: _r, input: _i, ...same } = usual;
  expect(rest).toEqual(same);
  expect([maxIterations, iterationBudget.max, raw.get("max_iterations"), input.size]).toEqual([3, 3, 3, 1]);
});

test("what a part is where nothing of it is given is what it makes of nothing", () => {
  const given = {
    input: new Dict(),
    options: new Dict(),
    read: loopFields.usual,
    mode: null,
    caller: "",
    matches: null,
  };
  for (const [name, part] of Object.entries(parts))
    if (typeof part.absent !== "symbol") expect([name, part.read(given)]).toEqual([name, part.absent]);
});
