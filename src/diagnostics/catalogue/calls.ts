/**
 * Calls of builtins. OPT: keys of option dicts, judged where the dict is literal (builtins.md §0). STD: their arguments, under
 * strict types (language.md §17.8), and what a run may not do.
 */
import { entry } from "../diagnostic.ts";

/** `path`: of the dict that has the key. */
export interface UnknownAt {
  readonly caller: string;
  readonly path: string;
  readonly key: string;
  readonly hint: string;
}

export interface OptionAt {
  /** The builtin whose parameter it is. */
  readonly caller: string;
  /** `iteration_budget.max` */
  readonly path: string;
}

export const opt = {
  "HARN-OPT-001": entry({
    severity: "error",
    message: (p: UnknownAt) =>
      `${p.caller}: ${p.path === "" ? "" : `${p.path}: `}unknown option ${JSON.stringify(p.key)}`,
    label: () => "means nothing here",
    help: (p) => p.hint,
    explain:
      "The dict has a key that the function does not know. A run warns of it once, and goes on as if the key were not there; " +
      "in dicts that bound money, time, tools, paths, network or approval it stops.\n" +
      "`harn doc NAME` lists every option with its type and default. A key that begins with `_` is your own note.",
  }),
  "HARN-OPT-002": entry({
    severity: "error",
    message: (p: OptionAt & { readonly expected: string; readonly found: string }) =>
      `${p.caller}: ${p.path}: expected ${p.expected}, got ${p.found}`,
    label: (p) => `expected ${p.expected}`,
    help: (p) => `\`harn doc ${p.caller}\` lists every option with its type and default`,
    explain:
      "An option has another type, or another value, than the function takes. No option is read as absent for that: the call " +
      "would stop with the same words.",
  }),
  "HARN-OPT-003": entry({
    severity: "warning",
    message: (p: OptionAt & { readonly instead: string }) => `${p.caller}: \`${p.path}\` is deprecated`,
    label: () => "deprecated",
    help: (p) => `use ${p.instead}`,
    explain: "The option still works and will not for ever; another one took its place.",
  }),
  "HARN-OPT-004": entry({
    severity: "error",
    message: (p: { readonly text: string; readonly hint: string }) => `harn.toml: ${p.text}`,
    label: () => "in the project's manifest",
    help: (p) => p.hint,
    explain:
      "The manifest of the project has a section or a key that nothing reads, or a value of another type than its reader takes. " +
      "`harn check` fails; a run warns of it once and goes on, unless it would lift a bound: then the run does not begin.\n" +
      "A key that begins with `_` is your own note.",
  }),
  "HARN-OPT-005": entry({
    severity: "warning",
    atCheck: "error",
    message: (p: UnknownAt) =>
      `${p.caller}: ${p.path === "" ? "" : `${p.path}: `}unknown option ${JSON.stringify(p.key)}`,
    label: () => "means nothing here",
    help: (p) => p.hint,
    explain:
      "The dict has a key that the function does not know. The function is written in the language, and says in the `@option` lines of " +
      "its doc comment which there are: `harn doc NAME` lists them. `harn check` fails; a run warns before it begins, and goes on as if the " +
      "key were not there. A key that begins with `_` is your own note.",
  }),
  "HARN-OPT-006": entry({
    severity: "warning",
    atCheck: "error",
    message: (p: OptionAt & { readonly expected: string; readonly found: string }) =>
      `${p.caller}: ${p.path}: expected ${p.expected}, got ${p.found}`,
    label: (p) => `expected ${p.expected}`,
    help: (p) => `\`harn doc ${p.caller}\` lists every option with its type and default`,
    explain:
      "An option has another type than the `@option` line in the function's doc comment says. `harn check` fails; a run warns before it " +
      "begins.",
  }),
  "HARN-OPT-007": entry({
    severity: "error",
    message: (p: OptionAt & { readonly value: string; readonly otherwise: string }) =>
      `${p.caller}: \`${p.path}\` is ${JSON.stringify(p.value)}, but ${p.otherwise}`,
    label: () => "needs what is not there",
    help: (p) => `\`harn doc ${p.caller}\` lists every option with its type and default`,
    explain:
      "The value of an option means something only beside another option, which the dict does not have. The call would stop with the " +
      "same words.",
  }),
};

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
    help: () =>
      "`--allow fs.read=data,net` and `--deny` say what a run may do, `allow` and `deny` of `harn()` in a program; `harn check --capabilities FILE` lists what a script needs",
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
