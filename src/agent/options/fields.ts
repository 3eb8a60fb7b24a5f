/** The rows of agents' options, for the declarations of builtins; and the configuration of an agent in few words. */
import { at, type Rows, type RowTable, readRows, row, rows } from "../../table/index.ts";
import { Dict, Float, type Value } from "../../values/index.ts";

export { approvalFields, permissionFields, policyFields } from "../policy/index.ts";
export {
  compactionFields,
  compactionPolicyFields,
  compactionRows,
  skillMatchFields,
} from "./context-fields.ts";
export { ladderFields } from "./ladder-fields.ts";
export { loopFields } from "./loop-fields.ts";

const subAgentRows = rows(
  () => ({
    max_iterations: row.int("Calls of tools that a sub-agent has.", 60, { min: 1 }),
    depth: row.int("How deep sub-agents have sub-agents; 0: there are none.", 1, { min: 0, max: 8 }),
  }),
  { strict: true },
);

/**
 * The configuration of an agent, in few words (docs/research.md, "Configuration"): of a research agent, of `[agents.*].config` and
 * of a conversation. `std/agent/config` makes options of a loop from it.
 */
export const agentConfigFields = rows(
  () => ({
    model_name: row.text("The model; empty: the one that is found as usual.", ""),
    max_iterations: row.int("Calls of tools that a message may cost.", 300, { min: 1 }),
    stream: row.bool("Answers are sent to subscribers while they arrive.", true),
    compact_threshold_ratio: row.number("The part of the window from which messages go out of view.", 0.9, {
      min: 0.01,
      max: 1,
    }),
    untouched_messages: row.int("Last messages that stay as they are.", 5, { min: 0 }),
    default_max_tokens: row.int("The window of a model that nobody knows, in tokens.", 200_000, {
      min: 1000,
    }),
    yolo_mode: row.bool("Nobody is asked for approval; modes, policies and ceilings hold.", false),
    mode: row.oneOf(["plan", "execute"], "Where a conversation begins.", "plan"),
    budget_usd: row.number("Dollars that a message may cost.", null, { min: 0 }),
    max_concurrent_tools: row.int("Calls of a turn that run at once.", 4, { min: 1 }),
    sub_agents: row.dict(subAgentRows, "What sub-agents have.").or(subAgentRows.usual),
  }),
  { strict: true },
);

/** The whole configuration: what is given, with the defaults under it. Throws what is wrong, by its path. */
export function agentConfigOf(input: Value, caller: string): Dict {
  const given = input === null ? new Dict() : row.dict(null).read(input, at(caller, "config"));
  readRows(given, agentConfigFields, at(caller));
  return filledConfig(given, agentConfigFields);
}

const filledConfig = (given: Dict, table: RowTable<Rows>): Dict =>
  Dict.from(
    Object.entries(table.typed).map(([name, { field, absent }]) => {
      const value = given.get(name) ?? null;
      if (field.nested !== undefined)
        return [name, filledConfig((value as Dict | null) ?? new Dict(), field.nested as RowTable<Rows>)];
      const whole = value ?? (absent as Value);
      return [name, field.type === "float" && typeof whole === "number" ? new Float(whole) : whole];
    }),
  );
