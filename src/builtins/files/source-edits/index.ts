/** What `std/edit` stands on: declarations and names of source texts by rules over text, and files that change all or none. */
import { spend, type Task } from "../../../interp/index.ts";
import { defineBuiltins, row, rows } from "../../../table/index.ts";
import { Dict, List, thrown } from "../../../values/index.ts";
import { type Argument, option, textOf } from "../../arguments.ts";
import { Part } from "./code-parts.ts";
import { type Language, languageNames, languageOf } from "./languages.ts";
import { type CodeNode, lineStarts, type Outline, outlineLineOf, outlineOf } from "./outline.ts";
import { replacedEvidence, replaceFiles } from "./replace-files.ts";

const codeLanguageFields = rows(
  () => ({
    language: row.text("Name of a language or an extension of its files; else from `path`."),
    path: row.text("The file's name, for its extension; nothing is read."),
  }),
  { strict: true },
);

const codeRenameFields = rows(
  () => ({
    ...codeLanguageFields.typed,
    members: row.bool("Uses after a dot and as keys too.", false),
  }),
  { strict: true },
);

const replaceFilesFields = rows(
  () => ({
    path: row.text("The file."),
    before_hash: row.text("SHA-256 of its text as it was read.").bounds(),
    text: row.text("Its new text."),
  }),
  { strict: true, form: "list", typedByReader: true },
);

function languageFor(caller: string, options: Argument): Language {
  const text = (key: string): string | undefined => {
    const input = option(options, key);
    return input === undefined || input === null ? undefined : textOf(input);
  };
  const [name, path] = [text("language"), text("path")];
  const found = languageOf(name, path);
  if (found !== undefined) return found;
  const what = name !== undefined ? `the language "${name}"` : path !== undefined ? `${path}` : "a text";
  throw thrown(
    `${caller}: no rules for ${what}; say one of ${languageNames.join(", ")} as \`language\`, or edit the text with edit_safe_text_patch`,
  );
}

const nodeValue = (node: CodeNode): Dict =>
  Dict.of({
    name: node.name,
    path: node.path,
    kind: node.kind,
    line: node.line,
    end_line: node.endLine,
    lead_line: node.leadLine,
    body_line: node.bodyLine ?? null,
    body_end_line: node.bodyEndLine ?? null,
    indent: node.indent,
    whole: node.whole,
  });

const nameRule = /^[\p{ID_Start}_$][\p{ID_Continue}$]*$/u;

function needSymbolName(what: string, name: string): string {
  if (nameRule.test(name)) return name;
  throw thrown(`code_rename: ${what} "${name}" is no name: letters, digits and _, no digit first`);
}

function renameSymbol(task: Task, text: string, from: string, to: string, options: Argument): Dict {
  const name = needSymbolName("from", from);
  const fresh = needSymbolName("to", to);
  const outline = outlineOf("code_rename", text, languageFor("code_rename", options), () => spend(task));
  const { plain, members, other } = usesOf(text, name, outline);
  const taken = usesOf(text, fresh, outline);
  const starts = lineStarts(text);
  const lines = (places: readonly number[]): List =>
    new List([...new Set(places.map((at) => outlineLineOf(starts, at) + 1))].sort((a, b) => a - b));
  const places = option(options, "members") === true ? [...plain, ...members] : plain;
  return Dict.of({
    text: renamedSource(text, name, fresh, places),
    count: places.length,
    plain: lines(plain),
    members: lines(members),
    other: lines(other),
    declared: new List(outline.nodes.filter((node) => node.name === name).map(({ line }) => line)),
    taken: lines([...taken.plain, ...taken.members]),
  });
}

const languageNote = `\`language\` is one of ${languageNames.join(", ")}, or follows from \`path\`. Brackets have to balance.`;

export const sourceEdits = defineBuiltins("files", {
  code_outline: {
    doc: `The declarations of a source text, by rules over text (no parser): \`{name, path: Class.method, kind, line, end_line, lead_line, body_line, body_end_line, indent, whole}\`, lines from 1. \`lead_line\` begins the comments and decorators above; not \`whole\`: something else stands on its lines. ${languageNote}`,
    sig: "(text!: string, options: dict = {}) -> list<dict>",
    effect: "pure",
    example: 'code_outline("def f():\\n  pass\\n", {language: "python"})[0].end_line  // 2',
    fields: { options: () => codeLanguageFields },
    run: (task, text: string, options: Argument) =>
      new List(
        outlineOf("code_outline", text, languageFor("code_outline", options), () => spend(task)).nodes.map(
          nodeValue,
        ),
      ),
  },
  code_rename: {
    doc: `A source text with a name replaced where it stands in code: \`{text, count, plain, members, other, declared, taken}\`. The lists are lines: uses, uses after a dot or as keys (replaced with \`members: true\` only), uses in comments and texts (never replaced), declarations, and uses of the new name. No scopes are known. ${languageNote}`,
    sig: "(text!: string, from!: string, to!: string, options: dict = {}) -> dict",
    effect: "pure",
    example: 'code_rename("a = b # a", "a", "c", {language: "python"}).text  // c = b # a',
    fields: { options: () => codeRenameFields },
    run: (task, text: string, from: string, to: string, options: Argument) =>
      renameSymbol(task, text, from, to, options),
  },
  replace_files: {
    doc: "Gives files new texts, all or none, if each still has the text whose SHA-256 is `before_hash`: `{path, hash}` of each. A file that has changed meanwhile is an error, and nothing is written; when a write fails, those before it are set back.",
    sig: "(changes!: list<dict>) -> list<dict>",
    effect: "write",
    capability: "fs.write",
    evidence: replacedEvidence,
    fields: { changes: () => replaceFilesFields },
    run: (task, changes: List) => replaceFiles(task, changes),
  },
});

/** A name and where it is used: in code, after a dot or as a key, in comments and texts. */
interface Uses {
  /** Where each use begins. */
  readonly plain: readonly number[];
  /** After a dot, or as a key of a dict: it may be the name of something else. */
  readonly members: readonly number[];
  /** In comments and texts. */
  readonly other: readonly number[];
}

function usesOf(text: string, name: string, { code, parts, brackets }: Outline): Uses {
  const plain: number[] = [];
  const members: number[] = [];
  const other: number[] = [];
  const escaped = name.replace(/[$]/g, "\\$&");
  const word = new RegExp(`(?<![\\p{ID_Continue}$])${escaped}(?![\\p{ID_Continue}$])`, "gu");
  for (const { index } of text.matchAll(word)) {
    if (parts[index] !== Part.Code) other.push(index);
    else if (isMember(code, index, index + name.length, brackets.around(index))) members.push(index);
    else plain.push(index);
  }
  return { plain, members, other };
}

function isMember(code: string, from: number, to: number, around: number): boolean {
  const before = code.slice(Math.max(0, from - 200), from).trimEnd();
  if (/(?:(?<!\.)\.|->|::|#)$/.test(before)) return true;
  const after = code.slice(to, to + 200).trimStart();
  const opener = around < 0 ? "" : code[around];
  const first = /[{,]$/.test(before) || before.endsWith("(");
  if (opener === "{") return first && /^:(?!:)/.test(after);
  // `f(name = 1)`: the name of a parameter.
  return opener === "(" && first && /^=(?![=>])/.test(after);
}

function renamedSource(text: string, name: string, to: string, places: readonly number[]): string {
  const pieces: string[] = [];
  let from = 0;
  for (const at of [...places].sort((a, b) => a - b)) {
    pieces.push(text.slice(from, at), to);
    from = at + name.length;
  }
  return pieces.join("") + text.slice(from);
}
