/** DEP: what still works but should not be used any more (language.md §18). */
import { entry } from "../diagnostic.ts";

export const dep = {
  "HARN-DEP-001": entry({
    severity: "warning",
    message: (p: {
      readonly name: string;
      readonly since?: string | undefined;
      readonly use?: string | undefined;
    }) => `\`${p.name}\` is deprecated${p.since === undefined ? "" : ` (since ${p.since})`}`,
    label: () => "deprecated",
    help: (p) =>
      p.use === undefined
        ? `see what the documentation of \`${p.name}\` says instead`
        : `use \`${p.use}\` instead`,
    explain:
      "The function is marked `@deprecated`: it still works, but its author wants callers to move on.\n" +
      "The attribute's `use:` names what to call instead.",
  }),
};
