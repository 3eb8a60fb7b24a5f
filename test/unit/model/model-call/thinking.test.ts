/** What routes do for a request to think: today's models, unknown ones of known families, and what the user is told. */
import { describe, expect, it } from "vitest";
import { Catalogue, type Thinking } from "../../../../src/model/llm/index.ts";
import { fitThinking } from "../../../../src/model/model-call/thinking.ts";

const catalogue = new Catalogue();
const fitted = (provider: string, model: string, asked: Thinking) =>
  fitThinking(asked, catalogue.capabilities(provider, model), provider, model);
const effort = (level: string): Thinking => ({ mode: "effort", level });
const enabled: Thinking = { mode: "enabled" };
const off: Thinking = { mode: "disabled" };

describe("effort", () => {
  it.each([
    ["openai", "gpt-5", "minimal", "minimal"],
    ["openai", "gpt-5-mini", "high", "high"],
    ["openai", "gpt-5-nano-2025-08-07", "low", "low"],
    ["openai", "gpt-5", "xhigh", "high"],
    ["openai", "gpt-5-pro", "low", "high"],
    ["openai", "gpt-5.1", "none", "none"],
    ["openai", "gpt-5.1", "minimal", "low"],
    ["openai", "gpt-5.1", "xhigh", "high"],
    ["openai", "gpt-5.1-codex-max", "xhigh", "xhigh"],
    ["openai", "gpt-5.2", "xhigh", "xhigh"],
    ["openai", "gpt-5.4", "xhigh", "xhigh"],
    ["openai", "gpt-5.4-mini", "medium", "medium"],
    ["openai", "gpt-5.4", "max", "xhigh"],
    ["openai", "gpt-6-preview", "xhigh", "xhigh"],
    ["openai", "o3", "xhigh", "high"],
    ["openai", "o4-mini", "minimal", "low"],
    ["openrouter", "openai/gpt-5.2", "xhigh", "xhigh"],
    ["anthropic", "claude-opus-4-7", "xhigh", "xhigh"],
    ["anthropic", "claude-sonnet-4-6", "xhigh", "max"],
    ["anthropic", "claude-opus-9-1", "max", "max"],
    ["gemini", "gemini-3-pro-preview", "medium", "high"],
    ["gemini", "gemini-3-flash-preview", "minimal", "minimal"],
    ["gemini", "gemini-4-pro", "medium", "medium"],
    ["gemini", "gemini-2.5-pro", "high", "high"],
    ["deepseek", "deepseek-chat", "medium", "high"],
    ["groq", "openai/gpt-oss-120b", "low", "low"],
  ])("%s %s: %s is %s", (provider, model, asked, got) => {
    const { thinking, note } = fitted(provider, model, effort(asked));
    expect(thinking).toEqual(effort(got));
    if (asked === got) expect(note).toBeNull();
    else expect(note).toBe(`${model} has no effort "${asked}": "${got}" in place of it`);
  });

  it("is a budget where a model takes no effort", () => {
    const { thinking, note } = fitted("anthropic", "claude-sonnet-4-5", effort("high"));
    expect(thinking).toEqual({ mode: "enabled", budget_tokens: 16_384 });
    expect(note).toContain("takes a budget, no effort");
  });
});

describe("thinking: true, and budgets", () => {
  it.each([
    ["anthropic", "claude-opus-4-7", { mode: "adaptive" }],
    ["anthropic", "claude-sonnet-4-6", { mode: "adaptive" }],
    ["anthropic", "claude-sonnet-5-5", { mode: "adaptive" }],
    ["anthropic", "claude-opus-4-5", enabled],
    ["openai", "gpt-5", effort("medium")],
    ["openai", "gpt-5-pro", effort("high")],
    ["gemini", "gemini-2.5-flash", enabled],
    ["gemini", "gemini-3-flash-preview", effort("medium")],
    ["deepseek", "deepseek-reasoner", effort("high")],
  ] as const)("%s %s", (provider, model, got) => {
    expect(fitted(provider, model, enabled)).toEqual({ thinking: got, note: null });
  });

  it("a budget that a model does not take is told", () => {
    const asked: Thinking = { mode: "enabled", budget_tokens: 8000 };
    expect(fitted("anthropic", "claude-opus-4-7", asked).note).toContain("takes no thinking budget");
    expect(fitted("openai", "gpt-5.2", asked)).toEqual({
      thinking: effort("high"),
      note: 'gpt-5.2 takes no thinking budget: effort "high" in place of 8000 tokens',
    });
    expect(fitted("gemini", "gemini-2.5-pro", asked)).toEqual({ thinking: asked, note: null });
  });
});

describe("not to think", () => {
  it.each([
    ["openai", "gpt-5.4", effort("none"), false],
    ["openai", "gpt-5", effort("minimal"), true],
    ["openai", "o3", effort("low"), true],
    ["openai", "gpt-4o", off, false],
    ["anthropic", "claude-sonnet-5", off, false],
    ["anthropic", "claude-opus-5-5", off, true],
    ["gemini", "gemini-2.5-flash", off, false],
    ["gemini", "gemini-2.5-pro", off, true],
    ["deepseek", "deepseek-chat", effort("none"), false],
  ] as const)("%s %s", (provider, model, thinking, report) => {
    const got = fitted(provider, model, off);
    expect(got.thinking).toEqual(thinking);
    expect(got.note !== null).toBe(report);
  });

  it("a model that does not think can't be made to", () => {
    expect(() => fitted("openai", "gpt-4o", enabled)).toThrow(
      expect.objectContaining({
        value: 'option `thinking` with mode "enabled" is not supported by gpt-4o (openai): it does not think',
      }),
    );
  });
});
