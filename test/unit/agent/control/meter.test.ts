/** C6, C7, C9: what a request is taken for, and what it may have. */
import { describe, expect, test } from "vitest";
import {
  estimateTokens,
  factorOf,
  inputBudget,
  measures,
  messageWeight,
  rawTokens,
  textWeight,
  viewWeight,
} from "../../../../src/agent/context/meter.ts";
import { ladderOptionsOf } from "../../../../src/agent/options/ladder-options.ts";
import { Dict } from "../../../../src/values/index.ts";

describe("the meter", () => {
  test("weighs letters by their script", () => {
    expect(textWeight("abcd")).toBe(4);
    expect(textWeight("äöü")).toBe(6);
    expect(textWeight("漢")).toBe(4);
    expect(textWeight("👩")).toBe(8);
  });

  test("weighs content, calls and pictures of a message", () => {
    const call = { id: "c", name: "read", arguments: { a: 1 } };
    expect(messageWeight({ role: "assistant", content: "abc", tool_calls: [call] })).toBe(3 + 4 + 7);
    const picture = { type: "image", source: { type: "base64", media_type: "image/png", data: "x" } };
    expect(messageWeight({ role: "user", content: [picture as never] })).toBe(4800);
  });

  test("counts four more for each message", () => {
    expect(rawTokens({ weight: 9, messages: 2 })).toBe(3 + 8);
  });

  test("carries the sum of a view on, and begins anew when something went out of it", () => {
    const sum = { revision: 0, length: 0, weight: 0 };
    const view = [{ role: "user", content: "abcd" }];
    expect(viewWeight(sum, view, 0)).toBe(4);
    view.push({ role: "assistant", content: "ab" });
    expect(viewWeight(sum, view, 0)).toBe(6);
    expect(viewWeight(sum, view.slice(1), 1)).toBe(2);
  });

  test("usage rules, the estimate fills in", () => {
    const anchor = { actual: 1500, raw: 1000, revision: 3 };
    expect(factorOf(anchor)).toBe(1.5);
    expect(estimateTokens(anchor, 1100, 3)).toBe(1650);
    // The count itself counts, also where it bends the arithmetic further than a factor may.
    const low = { actual: 100, raw: 1000, revision: 3 };
    expect(estimateTokens(low, 1100, 3)).toBe(150);
    expect(estimateTokens(low, 1100, 4)).toBe(550);
    // Stale usage anchors nothing behind a change of the view; how the model counts is still known.
    expect(estimateTokens(anchor, 400, 4)).toBe(600);
    expect(estimateTokens(null, 400, 4)).toBe(400);
  });

  test("a count that can't be true bends it by so much at most", () => {
    expect(factorOf({ actual: 1, raw: 1000, revision: 0 })).toBe(0.5);
    expect(factorOf({ actual: 90_000, raw: 1000, revision: 0 })).toBe(3);
  });

  test("a count that does not grow with the request measures nothing", () => {
    const before = { actual: 500, raw: 1000, revision: 0 };
    expect(measures({ actual: 500, raw: 1200, revision: 0 }, before)).toBe(false);
    expect(measures({ actual: 620, raw: 1200, revision: 0 }, before)).toBe(true);
    // The same request again, a shorter view, another view, the first count.
    expect(measures({ actual: 500, raw: 1000, revision: 0 }, before)).toBe(true);
    expect(measures({ actual: 400, raw: 900, revision: 0 }, before)).toBe(true);
    expect(measures({ actual: 300, raw: 1200, revision: 1 }, before)).toBe(true);
    expect(measures(before, null)).toBe(true);
  });

  test("passes are made from 0.80, at any price from 0.95, down to a half", () => {
    expect(ladderOptionsOf(new Dict(), "test", new Dict()).settings).toMatchObject({
      soft: 0.8,
      hard: 0.95,
      target: 0.5,
    });
  });

  test("the budget leaves room for the answer and an error", () => {
    expect(inputBudget({ window: null, maxTokens: null, maxInputTokens: null })).toBe(60_000 - 4096 - 1200);
    expect(inputBudget({ window: 128_000, maxTokens: 8000, maxInputTokens: null })).toBe(
      128_000 - 8000 - 2560,
    );
    expect(inputBudget({ window: 2000, maxTokens: 9000, maxInputTokens: null })).toBe(2000 - 500 - 40);
    expect(inputBudget({ window: 128_000, maxTokens: null, maxInputTokens: 5000 })).toBe(5000);
  });
});
