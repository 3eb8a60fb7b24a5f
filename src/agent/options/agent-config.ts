/**
 * The configuration of an agent, in few words (docs/research.md, "Configuration"): of a research agent, of `[agents.*].config` and
 * of a conversation. `std/agent/config` makes options of a loop from it.
 */
import {
  type Field,
  type FieldTable,
  field,
  fieldRowsOf,
  fieldTable,
  mismatch,
  optionText,
  unknownKey,
} from "../../table/index.ts";
import { Dict, Float, thrown, typeOf, type Value } from "../../values/index.ts";

const subAgentFields = fieldTable(
  () => [
    field("max_iterations", "int", "Calls of tools that a sub-agent has.", {
      default: "60",
      range: [1, null],
    }),
    field("depth", "int", "How deep sub-agents have sub-agents; 0: there are none.", {
      default: "1",
      range: [0, 8],
    }),
  ],
  { strict: true },
);

export const agentConfigFields = fieldTable(
  (): readonly Field[] => [
    field("model_name", "string", "The model; empty: the one that is found as usual.", { default: '""' }),
    field("max_iterations", "int", "Calls of tools that a message may cost.", {
      default: "300",
      range: [1, null],
    }),
    field("stream", "bool", "Answers are sent to subscribers while they arrive.", { default: "true" }),
    field("compact_threshold_ratio", "float", "The part of the window from which messages go out of view.", {
      default: "0.9",
      range: [0.01, 1],
    }),
    field("untouched_messages", "int", "Last messages that stay as they are.", {
      default: "5",
      range: [0, null],
    }),
    field("default_max_tokens", "int", "The window of a model that nobody knows, in tokens.", {
      default: "200000",
      range: [1000, null],
    }),
    field("yolo_mode", "bool", "Nobody is asked for approval; modes, policies and ceilings hold.", {
      default: "false",
    }),
    field("mode", "string", "Where a conversation begins.", {
      values: ["plan", "execute"],
      default: '"plan"',
    }),
    field("budget_usd", "float", "Dollars that a message may cost.", { range: [0, null] }),
    field("max_concurrent_tools", "int", "Calls of a turn that run at once.", {
      default: "4",
      range: [1, null],
    }),
    field("sub_agents", "dict", "What sub-agents have.", { nested: subAgentFields }),
  ],
  { strict: true },
);

/** The whole configuration: what is given, with the defaults under it. Throws what is wrong, by its path. */
export function readAgentConfig(input: Value, caller: string): Dict {
  if (input !== null && !(input instanceof Dict))
    throw thrown(`${caller}: the configuration must be a dict or nil; got ${typeOf(input)}`);
  return filled(input ?? new Dict(), agentConfigFields, caller, "");
}

function filled(options: Dict, table: FieldTable, caller: string, path: string): Dict {
  for (const key of options.keys()) {
    if (table.get(key) !== undefined) continue;
    throw thrown(`${caller}: unknown key \`${path}${key}\`; ${unknownKey(table, key, true).hint}`);
  }
  let whole = new Dict();
  for (const row of fieldRowsOf(table)) {
    const value = options.get(row.name) ?? null;
    if (value !== null) {
      const expected = mismatch(row, value);
      if (expected !== undefined)
        throw thrown(`${caller}: \`${path}${row.name}\` must be ${expected}; got ${optionText(value)}`);
    }
    whole = whole.with(row.name, settled(row, value, caller, path));
  }
  return whole;
}

function settled(row: Field, value: Value, caller: string, path: string): Value {
  if (row.nested !== undefined)
    return filled(value instanceof Dict ? value : new Dict(), row.nested, caller, `${path}${row.name}.`);
  if (value !== null) return row.type === "float" && typeof value === "number" ? new Float(value) : value;
  const usual = row.default === undefined ? null : (JSON.parse(row.default) as Value);
  return row.type === "float" && typeof usual === "number" ? new Float(usual) : usual;
}
