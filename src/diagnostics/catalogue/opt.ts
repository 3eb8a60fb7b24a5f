/** OPT: keys of option dicts, judged where the dict is literal (builtins.md §0). */
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
