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
  "HARN-STD-010": entry({
    severity: "error",
    message: (p: { readonly text: string }) => p.text,
    help: () => "`harn check --capabilities FILE` lists what a script needs",
    explain:
      "The run was started with --allow or --deny, and the script asked for something that this leaves out.\n" +
      "--allow takes capabilities (fs.read, fs.write, net, process, env, model, people), folders (fs.read=DIR) and builtins;\n" +
      "what is denied stays denied. Scripts can catch the error; its category is tool_rejected.",
  }),
};
