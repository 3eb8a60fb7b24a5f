/** What is known about the languages whose files can be edited by their declarations: words and quotes, no grammar. */

/** How a text in quotes goes on: to its end mark, over line ends or not, with escapes, with code inside. */
export interface Quote {
  readonly open: RegExp;
  /** From what `open` matched. */
  readonly close: (opened: string) => string;
  readonly lines: boolean;
  readonly escapes: boolean;
  /** Opens code inside of the text, and the bracket that closes it. */
  readonly code?: (opened: string) => { readonly open: string; readonly close: string } | undefined;
}

export interface Language {
  readonly name: string;
  readonly extensions: readonly string[];
  /** What shows where a declaration ends. */
  readonly blocks: "braces" | "indentation";
  readonly lineComment: string;
  readonly blockComment?: readonly [open: string, close: string];
  readonly nestedComments?: boolean;
  readonly quotes: readonly Quote[];
  /** `/…/` may be a regular expression. */
  readonly regexes?: boolean;
  /** Words that may stand before the keyword. */
  readonly modifiers: string;
  /** Kind of declaration by keyword. */
  readonly keywords: Readonly<Record<string, string>>;
  /** Functions without a keyword: inside of classes only, or wherever declarations stand. */
  readonly bare?: "classes" | "anywhere";
}

const braces = { open: "${", close: "}" };
const languageLine = (mark: string, more: Partial<Quote> = {}): Quote => ({
  open: new RegExp(mark, "y"),
  close: () => mark,
  lines: false,
  escapes: true,
  ...more,
});
const languageBlock = (mark: string, more: Partial<Quote> = {}): Quote =>
  languageLine(mark, { lines: true, ...more });

const slashes = { blocks: "braces", lineComment: "//", blockComment: ["/*", "*/"] } as const;
const plain = [languageLine('"'), languageLine("'")];

/** `f"…{name}…"`: the prefix says whether there is code inside; the mark is what stands after it. */
const pythonCode = (opened: string) => (/f/i.test(opened) ? { open: "{", close: "}" } : undefined);
const python = (mark: string, lines: boolean): Quote => ({
  open: new RegExp(`(?<![\\w])[A-Za-z]{0,2}${mark}|${mark}`, "y"),
  close: () => mark,
  lines,
  escapes: true,
  code: pythonCode,
});

const languages: readonly Language[] = [
  {
    name: "javascript",
    extensions: ["js", "mjs", "cjs", "jsx", "ts", "mts", "cts", "tsx"],
    ...slashes,
    quotes: [...plain, languageBlock("`", { code: () => braces })],
    regexes: true,
    modifiers: "export|default|declare|abstract|async",
    keywords: {
      "function\\s*\\*?": "function",
      class: "class",
      interface: "interface",
      "const\\s+enum": "enum",
      enum: "enum",
      namespace: "namespace",
      module: "namespace",
      type: "type",
      const: "variable",
      let: "variable",
      var: "variable",
    },
    bare: "classes",
  },
  {
    name: "python",
    extensions: ["py", "pyi"],
    blocks: "indentation",
    lineComment: "#",
    quotes: [python('"""', true), python("'''", true), python('"', false), python("'", false)],
    modifiers: "async",
    keywords: { def: "function", class: "class" },
  },
  {
    name: "go",
    extensions: ["go"],
    ...slashes,
    quotes: [...plain, languageBlock("`", { escapes: false })],
    modifiers: "",
    keywords: {
      "func(?:\\s*\\([^)]*\\))?": "function",
      type: "type",
      var: "variable",
      const: "variable",
    },
  },
  {
    name: "rust",
    extensions: ["rs"],
    ...slashes,
    nestedComments: true,
    quotes: [
      {
        open: /\bb?r(#*)"/y,
        close: (opened) => `"${"#".repeat(opened.split("#").length - 1)}`,
        lines: true,
        escapes: false,
      },
      languageBlock('"'),
      // A lifetime is no text: only a single character in quotes is.
      { open: /'(?=\\|[^'\\\n]')/y, close: () => "'", lines: false, escapes: true },
    ],
    modifiers: 'pub(?:\\s*\\([^)]*\\))?|unsafe|async|default|extern(?:\\s*"[^"]*")?',
    keywords: {
      "(?:const\\s+)?(?:unsafe\\s+)?fn": "function",
      struct: "struct",
      enum: "enum",
      union: "union",
      trait: "trait",
      mod: "module",
      type: "type",
      "impl(?:\\s*<[^{]*?>)?(?:\\s+[^{]*?\\bfor)?": "impl",
      "macro_rules!": "macro",
      "static(?:\\s+mut)?": "variable",
      const: "variable",
    },
  },
  {
    name: "java",
    extensions: ["java"],
    ...slashes,
    quotes: [languageBlock('"""'), ...plain],
    modifiers: "public|protected|private|static|final|abstract|sealed|non-sealed|strictfp",
    keywords: {
      class: "class",
      interface: "interface",
      "@interface": "interface",
      enum: "enum",
      record: "record",
    },
    bare: "classes",
  },
  {
    name: "csharp",
    extensions: ["cs"],
    ...slashes,
    quotes: [
      languageBlock('"""'),
      { open: /\$?@"/y, close: () => '"', lines: true, escapes: false },
      languageLine('"', {
        open: /\$?"/y,
        code: (opened) => (opened.startsWith("$") ? { open: "{", close: "}" } : undefined),
      }),
      languageLine("'"),
    ],
    modifiers: "public|protected|private|internal|static|sealed|abstract|partial|readonly|async|unsafe",
    keywords: {
      class: "class",
      interface: "interface",
      struct: "struct",
      enum: "enum",
      "record(?:\\s+(?:class|struct))?": "record",
      namespace: "namespace",
    },
    bare: "classes",
  },
  {
    name: "c",
    extensions: ["c", "h", "cc", "cpp", "cxx", "hpp", "hh"],
    ...slashes,
    quotes: [
      {
        open: /\bR"([^(\s]*)\(/y,
        close: (opened) => `)${opened.slice(2, -1)}"`,
        lines: true,
        escapes: false,
      },
      ...plain,
    ],
    modifiers: "static|typedef|extern|inline",
    keywords: {
      "enum(?:\\s+class)?": "enum",
      class: "class",
      struct: "struct",
      union: "union",
      namespace: "namespace",
    },
    bare: "anywhere",
  },
  {
    name: "kotlin",
    extensions: ["kt", "kts"],
    ...slashes,
    nestedComments: true,
    quotes: [
      languageBlock('"""', { escapes: false, code: () => braces }),
      languageLine('"', { code: () => braces }),
      languageLine("'"),
    ],
    modifiers:
      "public|protected|private|internal|open|abstract|final|sealed|data|inline|suspend|override|enum|companion|const|lateinit|operator|tailrec",
    keywords: {
      "fun(?:\\s*<[^>]*>)?(?:\\s+[\\w<>?]+\\.)?": "function",
      class: "class",
      interface: "interface",
      object: "object",
      typealias: "type",
      val: "variable",
      var: "variable",
    },
  },
  {
    name: "swift",
    extensions: ["swift"],
    ...slashes,
    nestedComments: true,
    quotes: [
      languageBlock('"""', { code: () => ({ open: "\\(", close: ")" }) }),
      languageLine('"', { code: () => ({ open: "\\(", close: ")" }) }),
    ],
    modifiers:
      "public|private|fileprivate|internal|open|static|final|override|mutating|nonmutating|indirect|lazy|weak|class(?=\\s+func)",
    keywords: {
      func: "function",
      class: "class",
      struct: "struct",
      enum: "enum",
      protocol: "interface",
      actor: "class",
      extension: "extension",
      typealias: "type",
      let: "variable",
      var: "variable",
    },
  },
  {
    name: "harn",
    extensions: ["harn"],
    ...slashes,
    nestedComments: true,
    quotes: [languageBlock('"""', { code: () => braces }), languageLine('"', { code: () => braces })],
    modifiers: "pub|gen",
    keywords: {
      fn: "function",
      tool: "tool",
      pipeline: "pipeline",
      struct: "struct",
      enum: "enum",
      interface: "interface",
      impl: "impl",
      type: "type",
      skill: "skill",
      let: "variable",
      var: "variable",
      const: "variable",
    },
  },
];

export const languageNames: readonly string[] = languages.map(({ name }) => name);

/** By its name (`typescript` counts as `javascript`) or by a file's name. */
export function languageOf(name: string | undefined, path: string | undefined): Language | undefined {
  if (name !== undefined)
    return languages.find((one) => one.name === name || one.extensions.includes(name)) ?? alias(name);
  const extension = /\.([A-Za-z0-9]+)$/.exec(path ?? "")?.[1]?.toLowerCase();
  return languages.find(({ extensions }) => extension !== undefined && extensions.includes(extension));
}

const alias = (name: string): Language | undefined =>
  languages.find((one) => one.name === { typescript: "javascript", "c++": "c", "c#": "csharp" }[name]);
