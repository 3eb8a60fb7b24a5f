/** SUS: suspending and going on (agents.md §17, docs/resume.md). Raised while running. */
import { entry } from "../diagnostic.ts";

export const sus = {
  "HARN-SUS-020": entry({
    severity: "error",
    message: (p: { readonly text: string }) => p.text,
    help: () => "look whether it happened; `harn run --resume RUN --on-doubt redo|skip` decides otherwise",
    explain:
      "A run was interrupted while something that changes the outside was under way (an HTTP POST, for example), and now goes " +
      "on. Nobody knows whether it happened, and it can't be done twice without harm, so the call fails with this error, " +
      "which the script can catch.\nWhat is known to be harmless is done again without asking: docs/resume.md has the table.",
  }),
};
