/** Rows of the model builtins that are not `llm_call`'s own (agents.md §1.8, §2.1). */
import { callFields, routeRows } from "../../model/index.ts";
import { field, fieldRowsOf, fieldTable, providerBodies } from "../../table/index.ts";

const repairFields = fieldTable(
  () => [
    field("enabled", "bool", "Make the repair call.", { default: "true" }),
    field("system", "string", "Its system text."),
    ...fieldRowsOf(callFields, "schema", "schema_retries"),
  ],
  providerBodies,
);

/** `llm_call_structured` and its kin. */
export const structuredFields = fieldTable(
  () => [
    field("system", "string", "The system text."),
    field("retries", "int", "Another name for `schema_retries`.", { default: "3", range: [0, null] }),
    field("repair", "dict", "One more call that mends an answer which does not fit (`…_result` only).", {
      nested: repairFields,
    }),
    ...fieldRowsOf(callFields),
  ],
  providerBodies,
);

export const healthFields = fieldTable(() => [
  field("provider", "string", "The provider, in the form with one dict."),
  field("model", "string", "The model that is asked; the provider's usual one unless given."),
  field("warm", "bool", "Load the model (local servers); needs `model`.", { default: "false" }),
]);

/** Options of a call, of which only the route is looked at. */
export const infoFields = fieldTable(() => fieldRowsOf(callFields), providerBodies);

export const pickModelFields = fieldTable(() => [...routeRows().filter(({ name }) => name === "provider")]);

export const rateLimitFields = fieldTable(
  () => [field("rpm", "int", "Requests a minute; 0 lifts the limit.", { range: [0, null] })],
  { strict: true },
);

export const rateRetryFields = fieldTable(() => [
  field("max_retries", "int", "Further tries after a rate limit.", {
    default: "5",
    range: [0, null],
    bounds: true,
  }),
  field("backoff_ms", "int", "Rest before the first of them; doubles with each.", {
    default: "1000",
    range: [0, null],
  }),
]);
