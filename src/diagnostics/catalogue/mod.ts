/** MOD: imports that lead nowhere (language.md §20). Warnings before the run: the import itself raises the error when it runs. */
import { entry } from "../diagnostic.ts";

export const mod = {
  "HARN-MOD-001": entry({
    severity: "error",
    message: (p: { readonly path: string }) => `preflight: unresolved import '${p.path}'`,
    label: () => "preflight",
    help: () =>
      "a path is relative to this file; packages lie under .harn/packages; modules of the language begin with std/",
    explain:
      "No file, package or standard module was found under this name.\n" +
      "Looked for, in this order: `std/…`; the path relative to the importing file, as given and with `.harn`; " +
      "`.harn/packages/<path>` in this folder and those above it, up to one that contains `.git`.",
  }),
  "HARN-MOD-002": entry({
    severity: "error",
    message: (p: { readonly text: string; readonly near?: string | undefined }) => p.text,
    label: () => "this import",
    help: (p) => (p.near === undefined ? undefined : `did you mean \`${p.near}\`?`),
    explain:
      "The imported file was found but cannot be used as it is imported: it does not parse, does not export the name, or two " +
      "imports bring the same name.\n" +
      'Selective imports keep names apart: `import { a } from "x"`.',
  }),
};
