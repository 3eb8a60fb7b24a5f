/**
 * Control tools: those by which a model works its own ledgers and ends its work. They stand after the user's tools, are told
 * to a model that has no other, are never narrowed, deferred or left out by a skill, and are answered by the loop itself, so no
 * policy and no approval speaks about them. A tool of the user's own under one of their names is the user's.
 */
import type { JsonObject, StructuralTool, ToolEntry } from "../../model/index.ts";
import { runtimeTool } from "../../model/index.ts";
import { Dict } from "../../values/index.ts";
import type { Loop } from "./loop-state.ts";

/** A control tool with its answer. `aliases` are answered, and never shown. */
export interface ControlTool {
  readonly entry: ToolEntry;
  readonly answer: (loop: Loop) => StructuralTool;
  readonly aliases?: readonly string[];
}

const annotations = Dict.of({
  structural: true,
  control: true,
  kind: "session_control",
  side_effect_level: "none",
});

/** What a model is shown of one. `parameters` as tools have them: type, required, description by name. */
export const controlEntry = (name: string, description: string, parameters: JsonObject): ToolEntry =>
  runtimeTool({ name, description, parameters, annotations, run: () => null });

export const isControlTool = ({ origin, annotations }: ToolEntry): boolean =>
  origin === "runtime" && annotations?.get("control") === true;
