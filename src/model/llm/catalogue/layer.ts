/**
 * Providers and models of one's own, as configuration files write them (agents.md §5.1): the parsed tables of
 * `providers.toml`, or of `[llm]` in a manifest, checked and put into the catalogue's terms. A key that nobody reads is an
 * error: a misspelt price would make a dollar limit lie.
 *
 *     [providers.mine]       base_url, auth_env …          [aliases]            fast = {id = "…", provider = "mine"}
 *     [models."my-model"]    context_window, pricing …     [[inference_rules]]  pattern = "my-*", provider = "mine"
 *     [model_defaults."my-*"] temperature = 0.2            default_provider = "mine"
 */
import { type FieldTable, mismatch, unknownKey } from "../../../table/index.ts";
import { fromJson } from "../../../values/index.ts";
import { LlmUsageError } from "../errors.ts";
import type { Json, JsonObject } from "../port.ts";
import { isObject } from "../tool-wire.ts";
import type { CapabilityRule } from "./capabilities.ts";
import type { CatalogueLayer, InferenceRule } from "./catalogue.ts";
import {
  aliasFields,
  capabilityFields,
  inferenceFields,
  layerFields,
  modelFields,
  priceFields,
  providerFields,
} from "./layer-fields.ts";
import type { Price } from "./models.ts";

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
    this.known(tables, layerFields, "");
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
    this.checked(row, providerFields, at);
    if (typeof row.base_url === "string" && !URL.canParse(row.base_url))
      this.fail(`${at} \`base_url\` is no URL: ${row.base_url}`);
    return row;
  }

  private alias(row: JsonObject, name: string): JsonObject {
    this.checked(row, aliasFields, `[aliases.${name}]`);
    if (row.id === undefined) this.fail(`[aliases.${name}] \`id\` is missing`);
    return row;
  }

  /** Prices that are not given are those of plain input: nothing is cheaper than it says. */
  private model(row: JsonObject, id: string): JsonObject {
    const at = `[models."${id}"]`;
    this.checked(row, modelFields, at);
    const { pricing } = row;
    if (!isObject(pricing)) return row;
    this.known(pricing, priceFields, `${at} pricing`);
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
      this.checked(rule, inferenceFields, at);
      if (typeof rule.provider !== "string") this.fail(`${at} \`provider\` is missing`);
      if (rule.pattern === undefined && rule.exact === undefined && rule.contains === undefined)
        this.fail(`${at} needs \`pattern\`, \`exact\` or \`contains\``);
      return rule as unknown as InferenceRule;
    });
  }

  private checked(row: JsonObject, table: FieldTable, at: string): void {
    this.known(row, table, at);
    const wrong = wrongValue(row, table);
    if (wrong !== undefined) this.fail(`${at} ${wrong}`);
  }

  private known(row: JsonObject, table: FieldTable, at: string): void {
    const stranger = strangerIn(row, table);
    if (stranger !== undefined) this.fail(`${at === "" ? "" : `${at} `}${stranger}`);
  }
}

/** The first key that no row has, as a text: ``unknown key `x`; did you mean `y`?``. */
function strangerIn(row: JsonObject, table: FieldTable): string | undefined {
  const key = Object.keys(row).find((name) => table.get(name) === undefined);
  if (key === undefined) return undefined;
  const { near } = unknownKey(table, key, true);
  const hint = near === undefined ? `known: ${[...table.names()].join(", ")}` : `did you mean \`${near}\`?`;
  return `unknown key \`${key}\`; ${hint}`;
}

/** The first value that does not fit its row, as a text. */
function wrongValue(row: JsonObject, table: FieldTable): string | undefined {
  for (const [key, value] of Object.entries(row)) {
    const its = table.get(key);
    if (its === undefined || value === undefined || mismatch(its, fromJson(value)) === undefined) continue;
    return its.values === undefined || typeof value !== "string"
      ? `\`${key}\` must be ${tomlWords[its.type] ?? its.type}`
      : `\`${key}\` must be one of ${its.values.join(", ")}`;
  }
  return undefined;
}

/** Types of rows as people who write TOML call them. */
const tomlWords: Readonly<Record<string, string>> = {
  string: "a string",
  "string | list<string>": "a string or a list of strings",
  "list<string>": "a list of strings",
  "list<int>": "a list of ints",
  int: "an int of 0 or more",
  float: "a number",
  bool: "true or false",
  dict: "a table",
};

/** `[[capabilities.provider.<name>]]` of a manifest (agents.md §5.3). */
export function readCapabilityLayer(
  value: Json | undefined,
  where: string,
): { [provider: string]: CapabilityRule[] } {
  if (value === undefined || value === null) return {};
  const providers = isObject(value) ? value.provider : undefined;
  const stranger = isObject(value) ? Object.keys(value).find((key) => key !== "provider") : undefined;
  const form = "capabilities must be written [[capabilities.provider.NAME]]";
  if (stranger !== undefined) throw new LlmUsageError(`${where}: unknown key \`${stranger}\`: ${form}`);
  if (!isObject(providers)) throw new LlmUsageError(`${where}: ${form}`);
  return Object.fromEntries(
    Object.entries(providers).map(([name, rules]) => {
      const at = `[[capabilities.provider.${name}]]`;
      if (!Array.isArray(rules)) throw new LlmUsageError(`${where}: ${at} must be a list of tables`);
      for (const [index, rule] of rules.entries()) {
        if (!isObject(rule) || typeof rule.model_match !== "string")
          throw new LlmUsageError(`${where}: ${at} needs a string \`model_match\``);
        const wrong = strangerIn(rule, capabilityFields) ?? wrongValue(rule, capabilityFields);
        if (wrong !== undefined) throw new LlmUsageError(`${where}: ${at} entry ${index + 1} ${wrong}`);
      }
      return [name, rules as unknown as CapabilityRule[]];
    }),
  );
}
