/**
 * Providers and models of one's own, as configuration files write them (agents.md §5.1): the parsed tables of
 * `providers.toml`, or of `[llm]` in a manifest, checked and put into the catalogue's terms. A key that nobody reads is an
 * error: a misspelt price would make a dollar limit lie.
 *
 *     [providers.mine]       base_url, auth_env …          [aliases]            fast = {id = "…", provider = "mine"}
 *     [models."my-model"]    context_window, pricing …     [[inference_rules]]  pattern = "my-*", provider = "mine"
 *     [model_defaults."my-*"] temperature = 0.2            default_provider = "mine"
 */
import { at, type Row, row } from "../../../table/index.ts";
import { display, fromJson, ScriptError } from "../../../values/index.ts";
import { LlmUsageError } from "../errors.ts";
import type { Json, JsonObject } from "../port.ts";
import type { CapabilityRule } from "./capabilities.ts";
import type { CatalogueLayer, InferenceRule } from "./catalogue.ts";
import { capabilityLayerFields, layerFields } from "./layer-fields.ts";
import type { Price } from "./models.ts";

/** What the tables hold once their rows have been looked at. */
interface LayerTables {
  readonly providers?: { readonly [name: string]: JsonObject };
  readonly aliases?: { readonly [name: string]: JsonObject | string };
  readonly models?: { readonly [id: string]: JsonObject & { readonly pricing?: Partial<Price> } };
  readonly model_defaults?: { readonly [pattern: string]: JsonObject };
  readonly inference_rules?: readonly InferenceRule[];
  readonly capabilities?: Json;
  readonly default_provider?: string;
}

/** Reads the tables; `where` begins the error texts: `/p/harn.toml: [llm]`. */
export function catalogueLayerOf(tables: JsonObject, where: string): CatalogueLayer {
  const {
    aliases = {},
    models = {},
    capabilities,
    ...given
  } = checked<LayerTables>(tables, row.dict(layerFields), where);
  return {
    providers: {},
    model_defaults: {},
    inference_rules: [],
    ...given,
    aliases: mapped(aliases, (to) => (typeof to === "string" ? { id: to } : to)),
    models: mapped(models, (model) =>
      model.pricing === undefined ? model : { ...model, pricing: priceOf(model.pricing) },
    ),
    capabilities: readCapabilityLayer(capabilities, where),
  };
}

const mapped = <T>(
  table: Readonly<Record<string, T>>,
  change: (one: T) => JsonObject,
): Record<string, JsonObject> =>
  Object.fromEntries(Object.entries(table).map(([name, one]) => [name, change(one)]));

/** Prices that are not given are those of plain input: nothing is cheaper than it says. */
const priceOf = ({ input_per_mtok = 0, ...price }: Partial<Price>): JsonObject => ({
  input_per_mtok,
  cache_read_per_mtok: input_per_mtok,
  cache_write_per_mtok: input_per_mtok,
  ...price,
});

/** `[[capabilities.provider.<name>]]` of a manifest (agents.md §5.3). */
export const readCapabilityLayer = (
  value: Json | undefined,
  where: string,
): { readonly [provider: string]: readonly CapabilityRule[] } =>
  value === undefined || value === null
    ? {}
    : checked<{ readonly provider: { readonly [name: string]: readonly CapabilityRule[] } }>(
        value,
        row.dict(capabilityLayerFields),
        where,
        "capabilities",
      ).provider;

/** What a file holds, looked at by rows as what a script passes is. */
function checked<T>(tables: Json, rows: Row<unknown>, where: string, path = ""): T {
  try {
    rows.read(fromJson(tables), at(where, path));
    return tables as unknown as T;
  } catch (error) {
    throw error instanceof ScriptError ? new LlmUsageError(display(error.value)) : error;
  }
}
