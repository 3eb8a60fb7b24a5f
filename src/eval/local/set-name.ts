/** How a set may be called. */
import { showOneLine } from "../../diagnostics/index.ts";
import { UsageError } from "../../host/command/index.ts";

/** Addresses are `SET:TRIAL`, so a set's name has no colon. */
export function checkSetName(name: string | undefined): void {
  if (name !== undefined && !/^[^\s:~%\p{Cc}]+$/u.test(name))
    throw new UsageError(
      `--set: expected a name without blanks, \`:\`, \`~\` and \`%\`, got ${name === "" ? "an empty text" : showOneLine(name)}`,
      "HARN-CLI-003",
    );
}
