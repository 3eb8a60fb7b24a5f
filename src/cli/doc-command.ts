/** `harn doc`: what a builtin does, from the one table that the interpreter, the checker and the reference page use. */
import { builtinTable } from "../builtins/index.ts";
import { loadDocs } from "../tools/index.ts";
import { exitCode } from "./exit-codes.ts";
import { UsageError } from "./usage-error.ts";

export interface DocFlags {
  readonly all?: boolean;
}

export async function docCommand(name: string | undefined, flags: DocFlags): Promise<number> {
  const docs = await loadDocs();
  const table = builtinTable();
  if (flags.all === true) {
    if (name !== undefined) throw new UsageError("give either a name or --all, not both");
    process.stdout.write(docs.referencePage(table.values()));
    return exitCode.ok;
  }
  if (name === undefined)
    throw new UsageError("name a builtin (`harn doc len`) or an area (`harn doc strings`), or give --all");
  // `len()` and `xs.len` are what people copy.
  const asked = name.replace(/\(.*$/s, "").trim();
  const spec = table.get(asked);
  const text = spec === undefined ? docs.areaText(asked, table) : docs.builtinText(spec);
  if (text === undefined)
    throw new UsageError(unknown(asked, docs.suggestions(asked, table)), exitCode.failed);
  process.stdout.write(text);
  return exitCode.ok;
}

function unknown(name: string, near: readonly string[]): string {
  const tail =
    near.length === 0
      ? "`harn doc --all` shows all of them"
      : `did you mean ${near.map((one) => `\`${one}\``).join(", ")}?`;
  return `there is no builtin \`${name}\`; ${tail}`;
}
