/** STD: calls of builtins, under strict types (language.md §17.8). */
import { entry } from "../diagnostic.ts";

export const std = {
  "HARN-STD-003": entry({
    severity: "warning",
    atCheck: "error",
    message: (p: { readonly text: string }) => p.text,
    label: () => "other number of arguments",
    help: () => "docs/builtins.md and `harn doc` show the signatures",
    explain:
      "A function of the library is called with more arguments than it takes. The extra ones are dropped, so what they were to say is not done.",
  }),
  "HARN-STD-004": entry({
    severity: "error",
    message: (p: { readonly text: string }) => p.text,
    label: () => "an argument is missing",
    help: () => "docs/builtins.md and `harn doc` show the signatures",
    explain:
      "A function of the library is called without an argument that it requires. Nothing of the program runs: it would fail there, and " +
      "what it had paid for by then would be lost.",
  }),
  "HARN-STD-005": entry({
    severity: "warning",
    atCheck: "error",
    message: (p: { readonly text: string; readonly help: string }) => p.text,
    label: () => "not what it takes",
    help: (p) => p.help,
    explain:
      "An argument of a function of the library is of a type that it refuses when it is called: the program would stop there. Most " +
      "functions take whatever has a printed form; those that act on it (exit codes, waits, contents of files) take what they say only.",
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
  "HARN-STD-011": entry({
    severity: "error",
    message: (p: { readonly text: string }) => p.text,
    help: () => "`store_set` and `checkpoint` keep values of programs; `harn runs delete` removes a run",
    explain:
      "A program, or a tool of an agent, was about to write, move or delete `state.db` in the state folder, or to move a folder that it lies in.\n" +
      "It holds the journals of runs, the answers of people and the sessions of other programs: who writes there decides what a resume\n" +
      "believes. Other files of the state folder are free. Scripts can catch the error; its category is tool_rejected.",
  }),
};
