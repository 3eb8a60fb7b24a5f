/** Delta debugging over parts of a model request (docs/evals.md). */
import { describe, expect, it } from "vitest";
import { partsOf, requestOf, shorten } from "../../../../../src/eval/engine/minimise/minimise.ts";
import type { ModelRequest } from "../../../../../src/model/index.ts";

const tool = (name: string) => ({ name, description: "", parameters: {} });
const call = (id: string) => ({ id, name: "look", arguments: {} });

const request: ModelRequest = {
  provider: "p",
  model: "m",
  system: "One.\n\nTwo.\n \nThree.",
  messages: [
    { role: "user", content: "go" },
    { role: "assistant", content: "", tool_calls: [call("a"), call("b")] },
    { role: "tool", tool_call_id: "a", content: "1" },
    { role: "user", content: "meanwhile" },
    { role: "tool", tool_call_id: "b", content: "2" },
    { role: "assistant", content: "done" },
  ],
  tools: [tool("look"), tool("wipe")],
  tool_choice: "auto",
};

describe("parts of a request", () => {
  it("keeps a call and its results together", () => {
    const { messages, tools, paragraphs } = partsOf(request);
    expect(messages.map((group) => group.length)).toEqual([1, 4, 1]);
    expect(tools.map(({ name }) => name)).toEqual(["look", "wipe"]);
    expect(paragraphs).toEqual(["One.", "Two.", "Three."]);
  });

  it("puts together what it took apart, byte by byte, and less of it", () => {
    const whole = partsOf(request);
    expect(JSON.stringify(requestOf(request, whole))).toBe(JSON.stringify(request));
    const less = requestOf(request, { ...whole, tools: [], paragraphs: ["One.", "Three."] });
    expect(less).toMatchObject({ tools: null, tool_choice: null, system: "One.\n\nThree." });
    expect(requestOf(request, { ...whole, paragraphs: [] })?.system).toBeNull();
  });

  it("makes none that nobody would answer", () => {
    const whole = partsOf(request);
    expect(requestOf(request, { ...whole, messages: [] })).toBeUndefined();
    expect(requestOf(request, { ...whole, messages: whole.messages.slice(2) })).toBeUndefined();
    const chosen: ModelRequest = { ...request, tool_choice: { name: "wipe" } };
    expect(requestOf(chosen, { ...whole, tools: [tool("look")] })).toBeUndefined();
  });
});

describe("shortening", () => {
  const numbers = Array.from({ length: 40 }, (_, at) => at);

  it("comes to exactly the parts that are needed", async () => {
    for (const needed of [[], [0], [39], [3, 17, 38], [0, 1, 2, 3], numbers]) {
      const kept = await shorten(numbers, async (some) => needed.every((one) => some.includes(one)));
      expect(kept).toEqual(needed);
    }
  });

  it("leaves none that could go alone, also where parts stand for each other", async () => {
    const shows = async (some: readonly number[]) => some.length % 2 === 0 && some.includes(7);
    const kept = await shorten(numbers, shows);
    for (const one of kept) expect(await shows(kept.filter((other) => other !== one))).toBe(false);
    expect(kept).toContain(7);
  });

  it("takes few looks where little is needed", async () => {
    let looks = 0;
    await shorten(numbers, async (some) => {
      looks++;
      return some.includes(21);
    });
    expect(looks).toBeLessThan(25);
  });
});
