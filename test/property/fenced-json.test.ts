/** Fenced JSON calls (agents.md §7.3): what was written is read back, and nothing that a model writes breaks the reader. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fencedCall, parseFencedJson } from "../../src/model/tools/fenced-json.ts";

const toolNames = ["read", "write"];
const piece = fc.constantFrom(
  "```tool\n",
  "```",
  "\n```\n",
  "~~~\n",
  "```json\n",
  '{"name": "read", "args": ',
  '{"name": "write"',
  "{}",
  "}",
  '"',
  "\\",
  "[[[[",
  "<think>",
  "</think>",
  "\r\n",
  " text ",
  "\u2028🦜",
);

describe("fenced JSON", () => {
  it("reads back what was written, prose in between", () => {
    const call = fc.record({
      name: fc.constantFrom(...toolNames),
      args: fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 3 })),
    });
    fc.assert(
      fc.property(fc.array(call), fc.string(), (calls, word) => {
        const prose = word.replaceAll(/[`~<\r\n]/g, " ").trim();
        const text = calls
          .flatMap(({ name, args }) => [prose, fencedCall(name, JSON.stringify(args))])
          .join("\n");
        const read = parseFencedJson(text, { toolNames });
        expect(read.errors).toEqual([]);
        expect(read.violations).toEqual([]);
        expect(read.calls.map(({ name, arguments: args }) => ({ name, args }))).toEqual(
          calls.map(({ name, args }) => ({ name, args: JSON.parse(JSON.stringify(args)) })),
        );
        const again = parseFencedJson(read.canonical, { toolNames });
        expect(again.calls).toEqual(read.calls);
      }),
    );
  });

  it("never throws, and every call is one of a known tool with an object of arguments", () => {
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 60 }), (pieces) => {
        const read = parseFencedJson(pieces.join(""), { toolNames });
        for (const call of read.calls) {
          expect(toolNames).toContain(call.name);
          expect(JSON.parse(call.rawArguments)).toEqual(call.arguments);
        }
        expect(new Set(read.calls.map(({ id }) => id)).size).toBe(read.calls.length);
      }),
    );
  });

  it("a megabyte of open fences and braces takes no longer than it must", () => {
    for (const text of [
      "```tool\n{".repeat(60_000),
      '```json\n{"name": "read", "args": {'.repeat(30_000),
      "```tool\n[".repeat(100_000),
    ])
      expect(parseFencedJson(text, { toolNames }).calls).toEqual([]);
    const deep = `\`\`\`tool\n{"name": "read", "args": ${'{"a":'.repeat(50_000)}1${"}".repeat(50_000)}}\n\`\`\``;
    expect(parseFencedJson(deep, { toolNames }).errors).toHaveLength(1);
  });
});
