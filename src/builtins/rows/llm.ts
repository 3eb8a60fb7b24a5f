/** Rows of the model builtins that are not `llm_call`'s own (agents.md §1.8, §2.1). */
import { asideRows, callFields, routeRows } from "../../model/index.ts";
import { fieldRowsOf, fieldTable, providerBodies, row, rows } from "../../table/index.ts";

const repairFields = rows(
  () => ({ enabled: row.bool("Make the repair call.", true), system: row.text("Its system text.") }),
  { ...providerBodies, beside: () => [...fieldRowsOf(callFields, "schema", "schema_retries")] },
);

/** `llm_call_structured` and its kin. */
export const structuredFields = rows(
  () => ({
    system: row.text("The system text."),
    retries: row.int("Another name for `schema_retries`.", 3, { min: 0 }),
    repair: row.dict(
      repairFields,
      "One more call that mends an answer which does not fit (`…_result` only).",
    ),
  }),
  { ...providerBodies, beside: () => [...fieldRowsOf(callFields)] },
);

export const healthFields = rows(() => ({
  provider: row.text("The provider, in the form with one dict."),
  model: row.text("The model that is asked; the provider's usual one unless given."),
  warm: row.bool("Load the model (local servers); needs `model`.", false),
}));

/** Options of a call, of which only the route is looked at. */
export const infoFields = fieldTable(() => fieldRowsOf(callFields), providerBodies);

export const pickModelFields = fieldTable(() => [...routeRows().filter(({ name }) => name === "provider")]);

export const rateLimitFields = rows(
  () => ({ rpm: row.int("Requests a minute; 0 lifts the limit.", null, { min: 0 }) }),
  { strict: true },
);

export const rateRetryFields = rows(() => ({
  max_retries: row.int("Further tries after a rate limit.", 5, { min: 0 }).bounds(),
  backoff_ms: row.int("Rest before the first of them; doubles with each.", 1000, { min: 0 }),
}));

/** `command_llm_risk_scan`. */
export const riskFields = rows(() => ({ system: row.text("The system text.") }), {
  ...providerBodies,
  beside: () => [
    ...routeRows(),
    ...asideRows(),
    ...fieldRowsOf(callFields, ...[...routeRows(), ...asideRows()].map(({ name }) => name)),
  ],
});
