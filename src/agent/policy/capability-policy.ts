/** The option `policy`: the capability ceiling (agents.md §8.2). */
import { type At, inside, type Read, row, rows } from "../../table/index.ts";
import type { Dict, Value } from "../../values/index.ts";
import { sideEffectLevels } from "./annotations.ts";

const argConstraintRows = rows(
  () => ({
    tool: row.text("Glob of the tools that it holds for.").required(),
    arg_key: row.text("The argument; without it, every `path_params` of the tool's annotations."),
    arg_patterns: row.texts("Globs, one of which every text in it must fit."),
  }),
  { strict: true },
);

/** `policy`: the capability ceiling. An empty list restricts nothing. */
export const policyFields = rows(
  () => ({
    tools: row.texts("Globs of the tools that may be called; empty for all."),
    capabilities: row
      .dict(
        null,
        'Operations that tools may need, by capability: `{workspace: ["read_text"]}`; empty for all.',
      )
      .to(readCapabilities)
      .or(new Map()),
    workspace_roots: row.texts("Folders that tools may read and write."),
    read_only_roots: row.texts(
      "Folders that tools may only read; of roots in each other the narrower one holds.",
    ),
    side_effect_level: row.oneOf(sideEffectLevels, "The most that a tool may do."),
    recursion_limit: row.int("How deep agents may start agents.", null, { min: 0 }),
    tool_arg_constraints: row.list(row.dict(argConstraintRows), "What arguments of tools may be.", []).full(),
    tool_annotations: row.dict(null, "What tools do, by name, where they do not say it themselves."),
  }),
  { strict: true },
);
/** The option `policy`, as read (agents.md §8.2). */
export type CapabilityPolicy = Read<typeof policyFields>;

/** nil for a capability grants all of its operations. */
const readCapabilities = (capabilities: Dict, place: At): ReadonlyMap<string, readonly string[]> =>
  new Map(
    [...capabilities.entries()].map(([name, ops]) => [
      name,
      ops === null ? [] : row.texts().read(ops, inside(place, name)),
    ]),
  );

/** Reads it; throws what is wrong with it. */
export const readPolicy = (value: Value, place: At): CapabilityPolicy | null =>
  value === null ? null : row.unlessFalse(policyFields).read(value, place);
