/**
 * Providers and models of one's own, as configuration files write them (agents.md §5.1): the parsed tables of
 * `providers.toml`, or of `[llm]` in a manifest, checked and put into the catalogue's terms. A key that nobody reads is an
 * error: a misspelt price would make a dollar limit lie.
 *
 *     [providers.mine]       base_url, auth_env …          [aliases]            fast = {id = "…", provider = "mine"}
 *     [models."my-model"]    context_window, pricing …     [[inference_rules]]  pattern = "my-*", provider = "mine"
 *     [model_defaults."my-*"] temperature = 0.2            default_provider = "mine"
 */
import { nearest } from "../../../diagnostics/index.ts";
import { LlmUsageError } from "../errors.ts";
import type { Json, JsonObject } from "../port.ts";
import { isObject } from "../tool-wire.ts";
import type { CapabilityRule } from "./capabilities.ts";
import type { CatalogueLayer, InferenceRule } from "./catalogue.ts";
import type { Price } from "./models.ts";

type Check = "text" | "texts" | "number" | "bool" | "table";

const layerKeys = [
  "providers",
  "aliases",
  "inference_rules",
  "models",
  "model_defaults",
  "default_provider",
  "capabilities",
];

const providerKeys: Readonly<Record<string, Check>> = {
  base_url: "text",
  base_url_env: "texts",
  protocol: "text",
  auth_style: "text",
  auth_header: "text",
  auth_env: "texts",
  default_model: "text",
  model_env: "text",
  chat_endpoint: "text",
  completion_endpoint: "text",
  extra_headers: "table",
  features: "texts",
  healthcheck: "table",
  local: "bool",
};

const modelKeys: Readonly<Record<string, Check>> = {
  provider: "text",
  context_window: "number",
  max_output: "number",
  fast_factor: "number",
  pricing: "table",
};

const priceKeys = ["input_per_mtok", "output_per_mtok", "cache_read_per_mtok", "cache_write_per_mtok"];
const aliasKeys: Readonly<Record<string, Check>> = { id: "text", provider: "text", tool_format: "text" };
const ruleKeys: Readonly<Record<string, Check>> = {
  pattern: "text",
  exact: "text",
  contains: "text",
  provider: "text",
};
const authStyles = ["bearer", "header", "none"];
const protocols = ["openai", "anthropic"];

/** Reads the tables; `where` begins the error texts: `/p/harn.toml: [llm]`. */
export function readCatalogueLayer(tables: JsonObject, where: string): CatalogueLayer {
  return new LayerReader(where).read(tables);
}

class LayerReader {
  private readonly where: string;

  constructor(where: string) {
    this.where = where;
  }

  read(tables: JsonObject): CatalogueLayer {
    this.known(tables, layerKeys, "");
    const providers = this.entries(tables.providers, "providers", (row, name) => this.provider(row, name));
    const aliases = this.entries(tables.aliases, "aliases", (row, name) => this.alias(row, name));
    const models = this.entries(tables.models, "models", (row, name) => this.model(row, name));
    const model_defaults = this.entries(tables.model_defaults, "model_defaults", (row) => row);
    const capabilities = readCapabilityLayer(tables.capabilities, this.where);
    const { default_provider } = tables;
    if (default_provider !== undefined && typeof default_provider !== "string")
      this.fail("`default_provider` must be a string");
    return {
      providers,
      aliases,
      models,
      model_defaults,
      inference_rules: this.rules(tables.inference_rules),
      capabilities,
      ...(typeof default_provider === "string" ? { default_provider } : {}),
    };
  }

  private fail(text: string): never {
    throw new LlmUsageError(`${this.where}: ${text}`);
  }

  private entries(
    value: Json | undefined,
    name: string,
    read: (row: JsonObject, key: string) => JsonObject,
  ): { [key: string]: JsonObject } {
    if (value === undefined || value === null) return {};
    if (!isObject(value)) return this.fail(`[${name}] must be a table`);
    return Object.fromEntries(
      Object.entries(value).map(([key, row]) => {
        const table = typeof row === "string" && name === "aliases" ? { id: row } : row;
        if (!isObject(table)) return this.fail(`[${name}.${key}] must be a table`);
        return [key, read(table, key)];
      }),
    );
  }

  private provider(row: JsonObject, name: string): JsonObject {
    const at = `[providers.${name}]`;
    this.checked(row, providerKeys, at);
    if (row.auth_style !== undefined && !authStyles.includes(row.auth_style as string))
      this.fail(`${at} \`auth_style\` must be one of ${authStyles.join(", ")}`);
    if (row.protocol !== undefined && !protocols.includes(row.protocol as string))
      this.fail(`${at} \`protocol\` must be one of ${protocols.join(", ")}`);
    if (typeof row.base_url === "string" && !URL.canParse(row.base_url))
      this.fail(`${at} \`base_url\` is no URL: ${row.base_url}`);
    return row;
  }

  private alias(row: JsonObject, name: string): JsonObject {
    this.checked(row, aliasKeys, `[aliases.${name}]`);
    if (row.id === undefined) this.fail(`[aliases.${name}] \`id\` is missing`);
    return row;
  }

  /** Prices that are not given are those of plain input: nothing is cheaper than it says. */
  private model(row: JsonObject, id: string): JsonObject {
    const at = `[models."${id}"]`;
    this.checked(row, modelKeys, at);
    const { pricing } = row;
    if (!isObject(pricing)) return row;
    this.known(pricing, priceKeys, `${at} pricing`);
    for (const [key, value] of Object.entries(pricing))
      if (typeof value !== "number" || value < 0)
        this.fail(`${at} pricing \`${key}\` must be a number of dollars`);
    const { input_per_mtok, output_per_mtok } = pricing;
    if (typeof input_per_mtok !== "number" || typeof output_per_mtok !== "number")
      return this.fail(`${at} pricing needs \`input_per_mtok\` and \`output_per_mtok\``);
    const price: Price = {
      input_per_mtok,
      output_per_mtok,
      cache_read_per_mtok: (pricing.cache_read_per_mtok as number | undefined) ?? input_per_mtok,
      cache_write_per_mtok: (pricing.cache_write_per_mtok as number | undefined) ?? input_per_mtok,
    };
    return { ...row, pricing: price as unknown as JsonObject };
  }

  private rules(value: Json | undefined): InferenceRule[] {
    if (value === undefined || value === null) return [];
    if (!Array.isArray(value)) return this.fail("[[inference_rules]] must be a list of tables");
    return value.map((rule, index) => {
      const at = `[[inference_rules]] entry ${index + 1}`;
      if (!isObject(rule)) return this.fail(`${at} must be a table`);
      this.checked(rule, ruleKeys, at);
      if (typeof rule.provider !== "string") this.fail(`${at} \`provider\` is missing`);
      if (rule.pattern === undefined && rule.exact === undefined && rule.contains === undefined)
        this.fail(`${at} needs \`pattern\`, \`exact\` or \`contains\``);
      return rule as unknown as InferenceRule;
    });
  }

  private checked(row: JsonObject, keys: Readonly<Record<string, Check>>, at: string): void {
    this.known(row, Object.keys(keys), at);
    for (const [key, value] of Object.entries(row)) {
      const wanted = keys[key] as Check;
      if (value !== undefined && !fits(value, wanted)) this.fail(`${at} \`${key}\` must be ${names[wanted]}`);
    }
  }

  private known(row: JsonObject, keys: readonly string[], at: string): void {
    const stranger = Object.keys(row).find((key) => !keys.includes(key));
    if (stranger === undefined) return;
    const near = nearest(stranger, keys);
    const hint = near === undefined ? `known: ${keys.join(", ")}` : `did you mean \`${near}\`?`;
    this.fail(`${at === "" ? "" : `${at} `}unknown key \`${stranger}\`; ${hint}`);
  }
}

const names: Readonly<Record<Check, string>> = {
  text: "a string",
  texts: "a string or a list of strings",
  number: "a number",
  bool: "true or false",
  table: "a table",
};

function fits(value: Json, wanted: Check): boolean {
  switch (wanted) {
    case "text":
      return typeof value === "string";
    case "texts":
      return (
        typeof value === "string" || (Array.isArray(value) && value.every((item) => typeof item === "string"))
      );
    case "number":
      return typeof value === "number";
    case "bool":
      return typeof value === "boolean";
    case "table":
      return isObject(value);
  }
}

/** `[[capabilities.provider.<name>]]` of a manifest (agents.md §5.3). */
export function readCapabilityLayer(
  value: Json | undefined,
  where: string,
): { [provider: string]: CapabilityRule[] } {
  if (value === undefined || value === null) return {};
  const providers = isObject(value) ? value.provider : undefined;
  if (!isObject(providers))
    throw new LlmUsageError(`${where}: capabilities must be written [[capabilities.provider.NAME]]`);
  return Object.fromEntries(
    Object.entries(providers).map(([name, rules]) => {
      const at = `[[capabilities.provider.${name}]]`;
      if (!Array.isArray(rules)) throw new LlmUsageError(`${where}: ${at} must be a list of tables`);
      for (const rule of rules)
        if (!isObject(rule) || typeof rule.model_match !== "string")
          throw new LlmUsageError(`${where}: ${at} needs a string \`model_match\``);
      return [name, rules as unknown as CapabilityRule[]];
    }),
  );
}
