/** What people read about modules of the standard library: their own comments, and what they export. */
import type { SourceFile } from "../../source/index.ts";
import { type Import, parse } from "../../syntax/index.ts";
import { docText } from "../../table/index.ts";
import { docOptionsText } from "./options.ts";

/** A function or type that a module exports. */
interface ExportDoc {
  readonly name: string;
  /** As it is written, without its body: `fn wait(waitpoint, options = nil)`. */
  readonly signature: string;
  readonly doc: string;
  /** The module that declares it, when this one only passes it on. */
  readonly from?: string;
}

export interface ModuleDoc {
  /** `std/hitl` */
  readonly name: string;
  /** The comment at the head of the file. */
  readonly about: string;
  readonly functions: readonly ExportDoc[];
  readonly types: readonly ExportDoc[];
}

/**
 * Reads a module's documentation off its text. `others` gives that of the modules it imports: what it passes on
 * (`pub import`) is part of it.
 */
export function moduleDoc(
  name: string,
  source: SourceFile,
  others: (path: string) => ModuleDoc | undefined = () => undefined,
): ModuleDoc {
  const { items } = parse(source).program;
  const passedOn = items.flatMap((item) =>
    item.kind === "Import" && item.pub ? passedOnBy(item, others(item.path)) : [],
  );
  const functions = items.flatMap((item) => {
    if (item.kind !== "FnDecl") return [];
    const signature = oneDocLine(source.text.slice(item.start, item.body.start));
    return [
      { name: item.name.text, pub: item.pub, doc: item.doc.trim(), signature: withoutMarkup(signature) },
    ];
  });
  const types = items.flatMap((item) => {
    if (item.kind !== "TypeAliasDecl") return [];
    const signature = oneDocLine(source.text.slice(item.start, item.end));
    return [{ name: item.name.text, doc: item.doc.trim(), signature }];
  });
  // Language.md §20.3: without a `pub`, all of them are exported.
  const some = functions.some((one) => one.pub);
  const exported = functions.filter((one) => (some ? one.pub : !one.name.startsWith("_")));
  return { name, about: moduleHead(source.text), functions: [...exported, ...passedOn], types };
}

/** What a `pub import` takes of a module. */
function passedOnBy({ path, names }: Import, module: ModuleDoc | undefined): ExportDoc[] {
  const wanted = names?.map(({ text }) => text);
  const found = module?.functions.filter(({ name }) => wanted?.includes(name) ?? true) ?? [];
  return found.map((one) => ({ ...one, from: one.from ?? path }));
}

/** The lines of `//` that the file begins with. */
function moduleHead(text: string): string {
  const lines: string[] = [];
  for (const line of text.split("\n")) {
    if (!line.startsWith("//")) break;
    lines.push(line.replace(/^\/\/ ?/, ""));
  }
  return lines.join("\n").trim();
}

const oneDocLine = (text: string): string => text.replace(/\s+/g, " ").trim();

/** Without attributes and `pub`, and without the blanks of parameters that stood on lines of their own. */
const withoutMarkup = (signature: string): string =>
  signature
    .replace(/^.*?(?=(?:gen )?fn )/, "")
    .replace("( ", "(")
    .replace(", )", ")");

function moduleEntry({ signature, doc, from }: ExportDoc): string {
  const said = docText(doc);
  const below = [...(said === "" ? [] : said.split("\n")), ...(from === undefined ? [] : [`(of ${from})`])];
  return [signature, ...below].join("\n    ");
}

/** A module for a terminal. Ends with a line break. */
export function moduleText({ name, about, functions, types }: ModuleDoc): string {
  const parts = [about === "" ? name : about, `import "${name}"`, ...functions.map(moduleEntry)];
  if (types.length > 0)
    parts.push(["types:", ...types.map(({ signature }) => `    ${signature}`)].join("\n"));
  return `${parts.join("\n\n")}\n`;
}

/** One function of a module for a terminal; of the module that declares it. */
export function exportText(module: ModuleDoc, name: string): string | undefined {
  const found = module.functions.find((one) => one.name === name && one.from === undefined);
  if (found === undefined) return undefined;
  const said = docText(found.doc);
  const parts = [
    found.signature,
    ...(said === "" ? [] : [said]),
    `module: import { ${name} } from "${module.name}"`,
  ];
  return `${[parts.join("\n\n"), ...docOptionsText(found.doc)].join("\n")}\n`;
}

/** All modules with the first sentence of what they say of themselves. */
export function modulesText(modules: readonly ModuleDoc[]): string {
  const lines = modules.map(({ name, about }) => `${name}\n    ${moduleSummary(about)}`);
  return `${modules.length} modules\n\n${lines.join("\n")}\n`;
}

/** Of the first paragraph, without the module's name; what is indented below it is a drawing or a program. */
function moduleSummary(about: string): string {
  const [paragraph = ""] = about.split(/\n(?=\s)/, 1);
  return oneDocLine(paragraph)
    .replace(/^std\/\S+: /, "")
    .split(/(?<=\.) /, 1)[0] as string;
}
