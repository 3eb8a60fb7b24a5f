/** Files that come with what a person says. */
import { expect, test } from "vitest";
import { spoken } from "../../../../src/agent/context/attachments.ts";

const text = { path: 'a "b".md', text: "one" };
const picture = { path: "c.png", base64: "AA==", media_type: "image/png" };

test("without files it is the words alone", () => {
  expect(spoken("Hello", undefined, true)).toEqual({ role: "user", content: "Hello" });
  expect(spoken("Hello", [], true)).toEqual({ role: "user", content: "Hello" });
});

test("texts stand behind the words; what is gone is said", () => {
  expect(spoken("Hello", [text, { path: "d" }], false).content).toBe(
    'Hello\n\n<context uri="a &quot;b&quot;.md">\none\n</context>\n\n[d: an attached file that is not there any more]',
  );
});

test("pictures are blocks for models that see, and are told of to others", () => {
  expect(spoken("Hello", [picture], true).content).toEqual([
    { type: "text", text: "Hello" },
    { type: "image", base64: "AA==", media_type: "image/png" },
  ]);
  expect(spoken("Hello", [picture], false).content).toBe(
    "Hello\n\n[c.png: an attached picture, which this model does not see]",
  );
});
