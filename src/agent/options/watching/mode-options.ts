/** The options `modes` and `mode` (docs/research.md, "Plan first"). Without `modes` a mode is only a word for approval rules. */
import { type AgentMode, isAgentMode } from "../../../model/index.ts";
import { type Dict, thrown, typeOf } from "../../../values/index.ts";

export interface ModeOptions {
  /** `null`: the mode of the session, else `plan`. */
  readonly mode: AgentMode | null;
}

/** `null`: the loop has no modes. */
export function readModes(options: Dict, caller: string): ModeOptions | null {
  const on = options.get("modes") ?? false;
  if (typeof on !== "boolean") throw thrown(`${caller}: \`modes\` must be a bool or nil; got ${typeOf(on)}`);
  if (!on) return null;
  const mode = options.get("mode") ?? null;
  if (mode !== null && !isAgentMode(mode))
    throw thrown(
      `${caller}: with \`modes\`, \`mode\` must be "plan" or "execute"; got ${typeof mode === "string" ? `"${mode}"` : typeOf(mode)}`,
    );
  return { mode };
}
