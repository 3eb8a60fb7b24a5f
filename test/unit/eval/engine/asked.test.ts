/** What text and dict solvers ask: messages stay messages, and choices stand after the question. */
import { expect, test } from "vitest";
import { askedOf } from "../../../../src/eval/engine/solver-prompt.ts";
import { NativeCallable } from "../../../../src/interp/index.ts";
import { Dict, fromJson, toJson } from "../../../../src/values/index.ts";

const asked = (sample: object, solver: unknown = "Answer."): unknown =>
  toJson(askedOf(solver as string, fromJson(sample as { [key: string]: string }) as Dict));

const lines = "\n\nA) Rome\nB) Paris\n\nAnswer with the letter of the right choice.";
const choices = ["Rome", "Paris"];

test("choices stand after a text, and after the last words of the user", () => {
  expect(asked({ input: "Capital?", choices })).toBe(`Capital?${lines}`);
  const before = [
    { role: "user", content: "Hello" },
    { role: "assistant", content: "Ask." },
  ];
  const question = { role: "user", content: "Capital?" };
  expect(asked({ input: [...before, question], choices })).toEqual([
    ...before,
    { role: "user", content: `Capital?${lines}` },
  ]);
  const blocks = [{ type: "text", text: "Capital?" }];
  expect(asked({ input: [{ role: "user", content: blocks }], choices }, new Dict())).toEqual([
    { role: "user", content: [...blocks, { type: "text", text: lines }] },
  ]);
});

test("what names them already, has none or has code of its own is asked as it stands", () => {
  for (const input of ["Rome or Paris?", [{ role: "user", content: "Rome or Paris?" }]])
    expect(asked({ input, choices })).toEqual(input);
  expect(asked({ input: "Capital?" })).toBe("Capital?");
  expect(asked({ input: "Capital?", choices: [] })).toBe("Capital?");
  expect(asked({ input: [{ role: "assistant", content: "x" }], choices })).toEqual([
    { role: "assistant", content: "x" },
  ]);
  const code = new NativeCallable("solve", [], () => null);
  expect(asked({ input: "Capital?", choices }, code)).toBe("Capital?");
});
