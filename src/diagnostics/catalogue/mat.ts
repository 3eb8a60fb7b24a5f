/** MAT: `match` (language.md §17.5, §17.6). */
import { entry } from "../diagnostic.ts";

export const mat = {
  "HARN-MAT-001": entry({
    severity: "error",
    message: (p: { readonly text: string; readonly missing: readonly string[] }) => p.text,
    label: (p) => `no arm for ${p.missing.join(", ")}`,
    help: () => "add the missing arms, or a last arm `_ -> { … }`",
    explain:
      "The checker knows every value that this `match` may meet, and for some there is no arm; when one comes, the program " +
      "throws `No match arm matched the value`.\n" +
      "Add an arm for each, or `_` for the rest.",
  }),
  "HARN-MAT-003": entry({
    severity: "warning",
    message: (p: { readonly subject: string; readonly pattern: string }) =>
      `Match pattern type mismatch: matching ${p.subject} against ${p.pattern} literal`,
    label: (p) => `expected ${p.subject}, found ${p.pattern}`,
    help: () => "compare with a literal of the value's own type",
    explain:
      "A value of one type never equals a literal of another (ints and floats excepted), so the arm never runs.",
  }),
};
