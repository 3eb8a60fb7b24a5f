/**
 * `harn doc`: what a builtin does, from the one table that the interpreter, the checker and the reference page use, and what the
 * modules of the standard library say of themselves. `harn explain CODE`: what a diagnostic means, why it is reported, what to do.
 */

import { join } from "node:path";
import { builtinTable } from "../../builtins/index.ts";
import { type Code, catalogue, explain, nearest, wordsOf } from "../../diagnostics/index.ts";
import type { FlagsOf } from "../../host/command/flags.ts";
import { exitCode, print, UsageError } from "../../host/command/index.ts";
import { NodeModuleLoader } from "../../program/index.ts";
import { loadDocs } from "../../tools/index.ts";
import type { docFlags } from "../flags/checking.ts";

export type DocFlags = FlagsOf<typeof docFlags>;

export async function docCommand(name: string | undefined, flags: DocFlags): Promise<number> {
  const docs = await loadDocs();
  const table = builtinTable();
  if (flags.all === true) {
    if (name !== undefined) throw new UsageError("give either a name or --all, not both");
    print(docs.referencePage(table.values()));
    return exitCode.ok;
  }
  if (flags.search !== undefined) {
    // Words need no quotes: `--search retry calls`.
    print(searchedText(docs, [flags.search, name ?? ""].join(" ").trim()));
    return exitCode.ok;
  }
  if (name === undefined)
    throw new UsageError(
      "name a builtin (`harn doc len`), a word of the language (`harn doc match`), an option (`harn doc agent_loop.budget`), an area (`harn doc strings`) or a module (`harn doc std/hitl`), or give --search WORDS or --all",
      "HARN-CLI-002",
    );
  // `len()` and `xs.len` are what people copy.
  const asked = name.replace(/\(.*$/s, "").trim();
  const spec = table.get(asked);
  const word = docs.languageWord(asked);
  // A few names are both: the word stands first, the function follows.
  const both = [word && docs.languageWordText(word), spec && docs.builtinText(spec)].filter(Boolean);
  const text =
    both.length > 0
      ? both.join("\n")
      : (docs.areaText(asked, table) ?? docOptionText(docs, asked) ?? libraryDoc(docs, asked));
  if (text === undefined)
    throw new UsageError(unknownDocName(asked, docs.nameSuggestions(asked, table)), "HARN-CLI-008");
  print(text);
  return exitCode.ok;
}

type Docs = Awaited<ReturnType<typeof loadDocs>>;

/** `agent_loop.iteration_budget`: an option of a builtin, and those below it. */
function docOptionText(docs: Docs, asked: string): string | undefined {
  const [name = "", ...path] = asked.split(".");
  const spec = builtinTable().get(name);
  if (spec === undefined || path.length === 0) return undefined;
  const found = docs.optionPage(spec, path.join("."));
  if (found !== undefined) return found;
  const near = nearest(path.join("."), docs.optionPaths(spec));
  const hint =
    near === undefined ? `\`harn doc ${name}\` shows all of them` : `did you mean \`${name}.${near}\`?`;
  throw new UsageError(`${name} has no option \`${path.join(".")}\`; ${hint}`, "HARN-CLI-008");
}

/** What speaks of the words. */
function searchedText(docs: Docs, query: string): string {
  const { names, moduleOf } = libraryDocs(docs);
  const found = docs.searchDocs(query, builtinTable(), names.map(moduleOf));
  if (found !== undefined) return found;
  throw new UsageError(
    `nothing speaks of \`${query}\`: more than half of the words must stand in a name or its text. Fewer words find more; \`harn doc std\` lists the modules`,
    "HARN-CLI-008",
  );
}

/** The modules of the standard library. */
function libraryDocs(docs: Docs): {
  names: string[];
  moduleOf: (name: string) => ReturnType<Docs["moduleDoc"]>;
} {
  const loader = new NodeModuleLoader();
  const names = loader.library
    .names()
    .filter((name) => name.endsWith(".harn"))
    .map((name) => `std/${name.slice(0, -".harn".length)}`);
  const moduleOf = (name: string): ReturnType<Docs["moduleDoc"]> => {
    const source = loader.read(join(loader.library.path, `${name.slice("std/".length)}.harn`));
    return docs.moduleDoc(name, source, (path) => (names.includes(path) ? moduleOf(path) : undefined));
  };
  return { names, moduleOf };
}

/** `std`, `std/hitl`, or a function of any module. */
function libraryDoc(docs: Docs, asked: string): string | undefined {
  const { names, moduleOf } = libraryDocs(docs);
  if (asked === "std") return docs.modulesText(names.map(moduleOf));
  if (asked.startsWith("std/")) return names.includes(asked) ? docs.moduleText(moduleOf(asked)) : undefined;
  const found = names
    .map((name) => docs.exportText(moduleOf(name), asked))
    .filter((text) => text !== undefined);
  return found.length === 0 ? undefined : found.join("\n");
}

function unknownDocName(name: string, near: readonly string[]): string {
  if (name.startsWith("std/")) return `there is no module \`${name}\`; \`harn doc std\` shows all of them`;
  const tail =
    near.length === 0
      ? "`harn doc --search WORDS` looks through all texts, `harn doc --all` shows all of them"
      : `did you mean ${near.map((one) => `\`${one}\``).join(", ")}?`;
  return `there is no builtin \`${name}\`; ${tail}`;
}

export function explainCommand(code: string | undefined): number {
  if (code === undefined) {
    const codes = (Object.keys(catalogue) as Code[]).sort();
    print(`${codes.map((one) => `${one}  ${wordsOf(one).title}`).join("\n")}\n`);
    return exitCode.ok;
  }
  const found = explain(code);
  if (found === undefined)
    throw new UsageError(`there is no code ${code}; \`harn explain\` lists all codes`, "HARN-CLI-003");
  const advice = found.advice === undefined ? "" : `\nhelp: ${found.advice}\n`;
  print(`${found.severity}[${found.code}]: ${found.title}\n\n${found.text}\n${advice}`);
  return exitCode.ok;
}
