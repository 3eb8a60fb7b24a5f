/**
 * What a route can do (agents.md §5.3), as an ordered list of rules: the first that fits answers.
 *
 * A rule names models by glob and, where a family changed over time, by the least version. Versions are the first two
 * numbers in the id that are no dates (`claude-opus-4-7` is 4.7, `claude-sonnet-4-20250514` is 4.0).
 */
import { starMatches } from "../../../values/index.ts";

/** A rule: which models, and what differs from "nothing". */
export interface CapabilityRule extends Partial<ModelCapabilities> {
  model_match: string;
  version_min?: [number, number];
}

const effortLevels = ["low", "medium", "high"];

const claude: Partial<CapabilityRule> = {
  native_tools: true,
  prompt_caching: true,
  vision: true,
  pdf: true,
  thinking_modes: ["enabled"],
  json_schema: "tool_use",
  reasoning_must_stay: true,
};
const claudeSearch: Partial<CapabilityRule> = {
  ...claude,
  defer_loading: true,
  tool_search: ["bm25", "regex"],
  max_tools: 10_000,
};
const claudeAdaptive: Partial<CapabilityRule> = {
  ...claudeSearch,
  thinking_modes: ["adaptive"],
  reasoning_effort_levels: [...effortLevels, "xhigh", "max"],
};
/** 4.6 knows no `xhigh`. */
const claudeAdaptive46: Partial<CapabilityRule> = {
  ...claudeAdaptive,
  reasoning_effort_levels: [...effortLevels, "max"],
};
const interleaved: Partial<CapabilityRule> = {
  interleaved_thinking_supported: true,
  anthropic_beta_features: ["interleaved-thinking-2025-05-14"],
};
const reasoner: Partial<CapabilityRule> = {
  native_tools: true,
  thinking_modes: ["effort"],
  requires_completion_tokens: true,
  reasoning_effort_supported: true,
  reasoning_effort_levels: effortLevels,
  json_schema: "native",
  sampling: false,
};
/** GPT from version 5 on: reasons, reads pictures and documents. */
const gpt5: Partial<CapabilityRule> = {
  ...reasoner,
  reasoning_effort_levels: ["minimal", "low", "medium", "high"],
  vision: true,
  pdf: true,
};
const gptNone: Partial<CapabilityRule> = { ...gpt5, reasoning_none_supported: true };
const gptSearch: Partial<CapabilityRule> = { defer_loading: true, tool_search: ["hosted", "client"] };
const chatty: Partial<CapabilityRule> = { native_tools: true, vision: true, json_schema: "native" };
const codexLevels = ["low", "medium", "high", "xhigh"];
const fromNone = ["none", "low", "medium", "high"];
/** Effort in words; a model that is told nothing thinks as it likes. Calls carry signatures of its thoughts. */
const geminiLevels: Partial<CapabilityRule> = {
  vision: true,
  reasoning_must_stay: true,
  thinking_modes: ["effort"],
  reasoning_effort_supported: true,
  thinking_default: "on",
};
const geminiBudget: Partial<CapabilityRule> = {
  ...geminiLevels,
  thinking_modes: ["enabled", "effort"],
  reasoning_effort_levels: ["minimal", "low", "medium", "high"],
};
const deepseek: Partial<CapabilityRule> = {
  native_tools: true,
  thinking_modes: ["effort"],
  reasoning_effort_supported: true,
  reasoning_effort_levels: ["low", "high", "max"],
  reasoning_none_supported: true,
  reasoning_must_stay: true,
};
const thinker: Partial<CapabilityRule> = { native_tools: true, thinking_modes: ["enabled"] };

const rules: { readonly [provider: string]: readonly CapabilityRule[] } = {
  anthropic: [
    // 5 and opus 4.7 refuse temperature and its kin; the rest of the row is that of their family.
    {
      model_match: "claude-opus-*",
      version_min: [5, 5],
      ...claudeAdaptive,
      sampling: false,
      thinking_default: "always",
    },
    {
      model_match: "claude-opus-*",
      version_min: [5, 0],
      ...claudeAdaptive,
      sampling: false,
      thinking_default: "on",
    },
    { model_match: "claude-opus-*", version_min: [4, 7], ...claudeAdaptive, sampling: false },
    { model_match: "claude-fable-*", ...claudeAdaptive, sampling: false, thinking_default: "always" },
    { model_match: "claude-mythos-*", ...claudeAdaptive, sampling: false, thinking_default: "always" },
    {
      model_match: "claude-*",
      version_min: [5, 0],
      ...claudeAdaptive,
      sampling: false,
      thinking_default: "on",
    },
    { model_match: "claude-sonnet-*", version_min: [4, 6], ...claudeAdaptive46 },
    { model_match: "claude-haiku-*", version_min: [4, 6], ...claudeAdaptive46 },
    { model_match: "claude-opus-*", version_min: [4, 6], ...claudeSearch, ...interleaved },
    { model_match: "claude-opus-*", version_min: [4, 0], ...claudeSearch },
    { model_match: "claude-sonnet-*", version_min: [4, 0], ...claudeSearch },
    { model_match: "claude-haiku-*", version_min: [4, 5], ...claudeSearch },
    { model_match: "claude-*", ...claude },
  ],
  openai: [
    { model_match: "gpt-4o*", native_tools: true, vision: true, audio: true, json_schema: "native" },
    { model_match: "gpt-4.1*", native_tools: true, vision: true, json_schema: "native" },
    // Those for ChatGPT don't reason when they are told to; the pro models know their own levels, codex ones no `none`.
    { model_match: "gpt-*chat*", version_min: [5, 4], ...chatty, ...gptSearch },
    { model_match: "gpt-*chat*", version_min: [5, 0], ...chatty },
    {
      model_match: "gpt-*pro*",
      version_min: [5, 4],
      ...gpt5,
      ...gptSearch,
      reasoning_effort_levels: ["medium", "high", "xhigh"],
    },
    {
      model_match: "gpt-*pro*",
      version_min: [5, 2],
      ...gpt5,
      reasoning_effort_levels: ["medium", "high", "xhigh"],
    },
    { model_match: "gpt-*pro*", version_min: [5, 0], ...gpt5, reasoning_effort_levels: ["high"] },
    {
      model_match: "gpt-*codex*",
      version_min: [5, 4],
      ...gpt5,
      ...gptSearch,
      reasoning_effort_levels: codexLevels,
    },
    { model_match: "gpt-*codex-max*", version_min: [5, 1], ...gpt5, reasoning_effort_levels: codexLevels },
    { model_match: "gpt-*codex*", version_min: [5, 2], ...gpt5, reasoning_effort_levels: codexLevels },
    { model_match: "gpt-*codex*", version_min: [5, 0], ...gpt5, reasoning_effort_levels: effortLevels },
    {
      model_match: "gpt-*",
      version_min: [5, 4],
      ...gptNone,
      ...gptSearch,
      reasoning_effort_levels: [...fromNone, "xhigh"],
    },
    {
      model_match: "gpt-*",
      version_min: [5, 2],
      ...gptNone,
      reasoning_effort_levels: [...fromNone, "xhigh"],
    },
    { model_match: "gpt-*", version_min: [5, 1], ...gptNone, reasoning_effort_levels: fromNone },
    { model_match: "gpt-*", version_min: [5, 0], ...gpt5 },
    { model_match: "gpt-*", native_tools: true },
    // The first of them take no effort.
    { model_match: "o1-mini*", requires_completion_tokens: true, sampling: false },
    { model_match: "o1-preview*", requires_completion_tokens: true, sampling: false },
    { model_match: "o1*", ...reasoner },
    { model_match: "o3*", ...reasoner },
    { model_match: "o4*", ...reasoner, vision: true },
    { model_match: "o5*", ...reasoner, vision: true },
  ],
  gemini: ["gemini-", "models/gemini-"].flatMap((family): CapabilityRule[] => [
    {
      model_match: `${family}*flash*`,
      version_min: [3, 0],
      ...geminiLevels,
      reasoning_effort_levels: ["minimal", "low", "medium", "high"],
    },
    {
      model_match: `${family}*`,
      version_min: [3, 1],
      ...geminiLevels,
      reasoning_effort_levels: effortLevels,
    },
    {
      model_match: `${family}*`,
      version_min: [3, 0],
      ...geminiLevels,
      reasoning_effort_levels: ["low", "high"],
    },
    { model_match: `${family}*pro*`, version_min: [2, 5], ...geminiBudget, thinking_default: "always" },
    { model_match: `${family}*`, version_min: [2, 5], ...geminiBudget, reasoning_none_supported: true },
    { model_match: `${family}*`, vision: true },
  ]),
  deepseek: [{ model_match: "deepseek-*", ...deepseek }],
  groq: [
    { model_match: "*gpt-oss*", ...openWeights() },
    { model_match: "*qwen3*", native_tools: true },
  ],
  xai: [
    { model_match: "grok-3-mini*", ...openWeights(), reasoning_effort_levels: ["low", "high"] },
    { model_match: "grok-*", native_tools: true },
  ],
  ollama: [
    { model_match: "llava*", vision: true },
    { model_match: "bakllava*", vision: true },
    { model_match: "llama3.2-vision*", vision: true },
    { model_match: "gemma3*", vision: true },
    { model_match: "qwen3*", ...thinker, preferred_tool_format: "text" },
  ],
  llamacpp: [{ model_match: "*qwen3*", ...thinker }],
  local: [{ model_match: "*qwen3*", ...thinker }],
  mlx: [{ model_match: "*qwen3*", ...thinker, vision: true }],
  fireworks: [{ model_match: "*qwen*", ...thinker }],
  huggingface: [
    { model_match: "*qwen*", ...thinker },
    { model_match: "*deepseek-v3*", ...thinker },
  ],
  together: [
    { model_match: "*qwen*", ...thinker },
    { model_match: "*deepseek-v3*", ...thinker },
  ],
  openrouter: [
    { model_match: "*qwen*", ...thinker, thinking_modes: ["enabled", "effort"] },
    { model_match: "*deepseek-v3*", ...thinker, thinking_modes: ["enabled", "effort"] },
  ],
  dashscope: [
    { model_match: "qwen*", ...thinker },
    { model_match: "deepseek-v3*", ...thinker },
  ],
  azure_openai: ["gpt-*", "o1*", "o3*", "o4*"].map((model_match) => ({ model_match, native_tools: true })),
  bedrock: [{ model_match: "*", native_tools: true }],
  vertex: [{ model_match: "gemini-*", native_tools: true }],
};

/** GPT-OSS and models that are asked alike. */
function openWeights(): Partial<CapabilityRule> {
  return {
    native_tools: true,
    thinking_modes: ["effort"],
    reasoning_effort_supported: true,
    reasoning_effort_levels: effortLevels,
  };
}

/** Families that fall back to OpenAI's rules after their own. */
const openaiFamily = new Set([
  "openrouter",
  "together",
  "groq",
  "deepseek",
  "fireworks",
  "huggingface",
  "local",
]);

/** Everything off: what an unknown route can do. */
export function noCapabilities() {
  return {
    native_tools: false,
    defer_loading: false,
    tool_search: [] as string[],
    max_tools: null as number | null,
    prompt_caching: false,
    thinking: false,
    thinking_modes: [] as string[],
    interleaved_thinking_supported: false,
    anthropic_beta_features: [] as string[],
    vision_supported: false,
    vision: false,
    audio: false,
    pdf: false,
    video: false,
    /** `"native"`, `"tool_use"` or null. */
    json_schema: null as string | null,
    structured_output: null as string | null,
    requires_completion_tokens: false,
    reasoning_effort_supported: false,
    reasoning_effort_levels: [] as string[],
    reasoning_none_supported: false,
    preferred_tool_format: null as string | null,
    context_window: null as number | null,
    /** The vendor takes temperature, top_p and top_k. */
    sampling: true,
    /** What the model does when thinking is not mentioned; an `always` model refuses to be told not to. */
    thinking_default: "off" as "off" | "on" | "always",
    /** Calls of tools go back with the reasoning that they came with, unchanged, as long as they are part of the history. */
    reasoning_must_stay: false,
  };
}

export type ModelCapabilities = ReturnType<typeof noCapabilities>;

/** The first rule that fits, the installed ones (project, `provider_capabilities_install`) first. */
export function capabilitiesOf(
  provider: string,
  model: string,
  installed: ReadonlyMap<string, readonly CapabilityRule[]>,
): ModelCapabilities {
  const found = findRule(installed.get(provider) ?? [], model) ?? builtinRule(provider, model);
  const result = noCapabilities();
  if (!found) return result;
  const { model_match: _match, version_min: _min, ...said } = found;
  Object.assign(result, said);
  result.vision = result.vision_supported = said.vision ?? said.vision_supported ?? false;
  result.json_schema = result.structured_output = said.json_schema ?? said.structured_output ?? null;
  result.thinking = result.thinking_modes.length > 0;
  return result;
}

function builtinRule(provider: string, model: string): CapabilityRule | undefined {
  if (provider === "mock") {
    return findRule(rules[model.startsWith("claude-") ? "anthropic" : "openai"]!, model);
  }
  const own = Object.hasOwn(rules, provider) ? findRule(rules[provider]!, model) : undefined;
  if (own) return own;
  // `openai/gpt-4o` and `anthropic/claude-…` are the same models at another address.
  const slash = model.indexOf("/");
  const vendor = model.slice(0, Math.max(0, slash));
  if (vendor === provider) return findRule(rules[provider] ?? [], model.slice(slash + 1));
  if (!openaiFamily.has(provider)) return undefined;
  if (vendor === "anthropic" || vendor === "openai") return findRule(rules[vendor]!, model.slice(slash + 1));
  if (vendor === "google") return findRule(rules.gemini!, model.slice(slash + 1));
  return findRule(rules.openai!, model);
}

function findRule(list: readonly CapabilityRule[], model: string): CapabilityRule | undefined {
  const id = model.toLowerCase();
  return list.find(
    (rule) =>
      starMatches(rule.model_match.toLowerCase(), id) &&
      (!rule.version_min || atLeast(versionOf(id), rule.version_min)),
  );
}

/** The first two numbers of an id that are no dates; 0.0 without any. */
export function versionOf(model: string): [number, number] {
  const undated = model.replace(/\d{4}-\d\d-\d\d|\d{6,}/g, "");
  const found = /(\d{1,2})(?!\d)(?:[.-](\d{1,2})(?!\d))?/.exec(undated);
  return found ? [Number(found[1]), Number(found[2] ?? 0)] : [0, 0];
}

function atLeast(version: readonly [number, number], least: readonly [number, number]): boolean {
  return version[0] > least[0] || (version[0] === least[0] && version[1] >= least[1]);
}
