/** Short names for models, and the default model of each tier (agents.md §5.2). */

export interface AliasSpec {
  name: string;
  id: string;
  provider: string;
  tool_format?: string;
}

/** `tier/<t>` and the bare tier names give the same model. */
const tiers: readonly (readonly [string, string, string])[] = [
  ["frontier", "claude-sonnet-4-6", "anthropic"],
  ["mid", "gpt-4o-mini", "openai"],
  ["small", "claude-haiku-4-5", "anthropic"],
];

const names: readonly (readonly [string, string, string])[] = [
  ["sonnet", "claude-sonnet-4-6", "anthropic"],
  ["opus", "claude-opus-4-8", "anthropic"],
  ["haiku", "claude-haiku-4-5", "anthropic"],
  ["gpt", "gpt-4o", "openai"],
  ["gpt-mini", "gpt-4o-mini", "openai"],
  ["gemini-flash", "gemini-2.5-flash", "gemini"],
  ["gemini-pro", "gemini-2.5-pro", "gemini"],
  ["llama", "llama3.2", "ollama"],
];

/** The built-in aliases. */
export function builtinAliases(): AliasSpec[] {
  return [
    ...tiers,
    ...tiers.map(([name, id, provider]) => [`tier/${name}`, id, provider] as const),
    ...names,
  ].map(([name, id, provider]) => ({ name, id, provider }));
}
