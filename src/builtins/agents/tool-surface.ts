/** `tool_surface_validate` (agents.md §6.4). */

import { validateSurface } from "../../agent/index.ts";
import { toolSetOfValue } from "../../model/index.ts";
import { defineBuiltins } from "../../table/index.ts";
import { Dict, fromJson, List, thrown, typeOf, type Value } from "../../values/index.ts";
import type { Argument } from "../arguments.ts";
import { surfaceFields } from "../rows/more.ts";

function validate(surface: Argument, options: Argument): Value {
  if (!(surface instanceof Dict))
    throw thrown(`tool_surface_validate: requires a surface dict; got ${typeOf(surface ?? null)}`);
  const merged = options instanceof Dict ? surface.merge(options) : surface;
  const dict = (key: string): Dict | null => {
    const value = merged.get(key);
    return value instanceof Dict ? value : null;
  };
  const texts = merged.get("prompt_texts") ?? null;
  const prompts = [merged.get("system") ?? null, ...(texts instanceof List ? texts : [texts])];
  const diagnostics = validateSurface({
    tools: toolSetOfValue(merged.get("tools"), "tool_surface_validate: "),
    policy: dict("policy"),
    approval: dict("approval_policy"),
    prompts: prompts.filter((text) => typeof text === "string"),
  });
  return Dict.of({
    valid: !diagnostics.some(({ severity }) => severity === "error"),
    diagnostics: new List(diagnostics.map((one) => fromJson({ ...one }))),
  });
}

export const toolSurface = defineBuiltins("tools", {
  tool_surface_validate: {
    doc: "What is likely to go wrong with tools, policies and prompts: `{valid, diagnostics: [{code, severity, message, tool?, field?}]}`, errors first.",
    sig: "(surface: dict, options: dict | nil = nil) -> dict",
    effect: "pure",
    example: "tool_surface_validate({tools: tool_registry()}).valid  // true",
    fields: { surface: () => surfaceFields, options: () => surfaceFields },
    run: (_task, surface: Argument, options: Argument) => validate(surface, options),
  },
});
