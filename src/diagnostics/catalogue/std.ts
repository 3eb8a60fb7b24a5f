/** STD: calls of builtins, under strict types (language.md §17.8). */
import { entry } from "../diagnostic.ts";

export const std = {
  "HARN-STD-003": entry({
    severity: "warning",
    message: (p: { readonly text: string }) => p.text,
    label: () => "other number of arguments",
    help: () => "docs/builtins.md shows the signature of every builtin",
    explain:
      "A builtin is called with more or fewer arguments than it takes.\n" +
      "Missing ones are nil or the default, extra ones are ignored; both are mostly mistakes.",
  }),
};
