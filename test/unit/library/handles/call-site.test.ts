/** Where an error says that the program called: its own line, and none of ours. */
import { afterAll, describe, expect, it } from "vitest";
import { HarnError } from "../../../../src/library/errors.ts";
import { harn } from "../../../../src/library/index.ts";

const h = harn({ store: false });
afterAll(() => h.close());

async function thrownBy(work: () => unknown): Promise<HarnError> {
  try {
    await work();
  } catch (error) {
    if (error instanceof HarnError) return error;
    throw error;
  }
  throw new Error("nothing was thrown");
}

describe("the stack of a HarnError", () => {
  const failing = h.flow("failing", async () => await Promise.reject(new Error("no")));

  it.each<[string, () => PromiseLike<unknown>]>([
    ["a run", () => h.run({ text: "throw 1" })],
    ["a program that does not compile", () => h.run({ text: "let x =" })],
    ["a flow", () => failing()],
    ["an agent", () => h.agent({ prompt: "hello", nope: 1 } as never)],
    ["a run that is not there", () => h.resume("nobody")],
    ["an option that means nothing", () => h.run({ text: "1" }, { timeuot: 1 } as never)],
    ["a flow without a function", () => h.flow("two", 2 as never) as never],
  ])("is that of the call: %s", async (_, call) => {
    const ofProgram = async (): Promise<unknown> => {
      await Promise.resolve();
      return await call();
    };
    const { stack = "", message } = await thrownBy(ofProgram);
    expect(stack.startsWith(`HarnError: ${message}\n    at `)).toBe(true);
    const frames = stack.slice(`HarnError: ${message}`.length);
    expect(frames).toMatch(/call-site\.test\.ts/);
    expect(frames).toMatch(/ofProgram/);
    expect(frames).not.toMatch(/src\/library/);
  });

  it("is that of the call in `done`, too, and its message begins with what was found", async () => {
    const { error } = await h.run({ text: "let x =" }).done;
    expect(error?.stack).not.toMatch(/src\/library/);
    expect(error?.message).toMatch(/^Unexpected end of file/);
  });
});
