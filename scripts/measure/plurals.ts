/** Counts of what should have one home and has several: readers, messages, formulas, registries, locks, lists of names. */
import { isNode, nameOf, type Source, type SyntaxNode, stringOf, textsOf, walk } from "./sources.ts";

/** Something that a counter found: where, and what. */
export interface Find {
  readonly path: string;
  readonly what: string;
}

/** Nodes of all sources for which `test` gives a text. */
export function finds(
  sources: readonly Source[],
  test: (node: SyntaxNode, parents: readonly SyntaxNode[], source: Source) => string | undefined,
): Find[] {
  return sources.flatMap((source) => {
    const found: Find[] = [];
    walk(source.root, (node, parents) => {
      const what = test(node, parents, source);
      if (what !== undefined) found.push({ path: source.path, what });
    });
    return found;
  });
}

/** The files of finds, each once. */
export const filesOf = (found: readonly Find[]): string[] =>
  [...new Set(found.map(({ path }) => path))].sort();

const isText = (node: SyntaxNode): boolean =>
  node.type === "TemplateLiteral" || (node.type === "Literal" && typeof node.value === "string");

/** `WeakMap<Task, …>` as a type or made, outside the file of `TaskLocal`. */
export const taskRegistries = (sources: readonly Source[]): Find[] =>
  finds(
    sources.filter(({ path }) => !path.endsWith("/task-local.ts")),
    (node) => {
      const types = node.typeArguments;
      const name = nameOf(node.type === "NewExpression" ? node.callee : node.typeName);
      if (name !== "WeakMap" || !isNode(types)) return undefined;
      const [key] = types.params as readonly SyntaxNode[];
      return key !== undefined && nameOf(key.typeName) === "Task" ? "WeakMap<Task, …>" : undefined;
    },
  );

/** Texts of messages with "must be", outside the catalogue of diagnostics, the field tables and documentation of rows. */
export const mustBeTexts = (sources: readonly Source[]): Find[] =>
  finds(
    sources.filter(({ path }) => !/^(?:diagnostics\/catalogue|table)\/|\brows\/|fields?\.ts$/.test(path)),
    (node, parents) => {
      const documentation = parents.some(({ key }) => ["doc", "explain", "help"].includes(nameOf(key) ?? ""));
      if (!isText(node) || documentation) return undefined;
      return textsOf(node).find((text) => /\bmust be\b/.test(text));
    },
  );

const isFunction = (node: unknown): boolean =>
  isNode(node) && /^(?:FunctionDeclaration|FunctionExpression|ArrowFunctionExpression)$/.test(node.type);

/** The name of a function that this node declares: a declaration, `const f = () => …`, or a method. */
function declaredFunction(node: SyntaxNode): string | undefined {
  if (node.type === "FunctionDeclaration") return nameOf(node.id);
  if (node.type === "VariableDeclarator" && isFunction(node.init)) return nameOf(node.id);
  return node.type === "MethodDefinition" ? nameOf(node.key) : undefined;
}

/** Declared functions `read…` outside `table/`. */
export const readFunctions = (sources: readonly Source[]): Find[] =>
  finds(
    sources.filter(({ path }) => !path.startsWith("table/")),
    (node) => {
      const name = declaredFunction(node);
      return name !== undefined && /^read[A-Z]/.test(name) ? name : undefined;
    },
  );

const restful = /delay|backoff|rest|wait|retry|tick/i;

/** Formulas that let a rest grow: a power with a variable exponent, or a doubling, in an expression about a rest. */
export const retryFormulas = (sources: readonly Source[]): Find[] =>
  finds(sources, (node, parents, { text }) => {
    if (!isNode(node.right)) return undefined;
    const power = node.type === "BinaryExpression" && node.operator === "**" && node.right.type !== "Literal";
    const doubling =
      (node.type === "BinaryExpression" && node.operator === "*") ||
      (node.type === "AssignmentExpression" && node.operator === "*=");
    if (!power && !(doubling && stringFor(node.right) === "2")) return undefined;
    const outer = parents.findLast(({ type }) => /Statement$|Declaration$|^Property$/.test(type)) ?? node;
    const code = power ? text.slice(outer.start, outer.end) : text.slice(node.start, node.end);
    return restful.test(code) && code.length < 400 ? text.slice(node.start, node.end) : undefined;
  });

const stringFor = (node: SyntaxNode): string => (node.type === "Literal" ? String(node.value) : "");

/** Declared functions and classes whose name has this word. */
export const namedFor = (sources: readonly Source[], word: RegExp): Find[] =>
  finds(sources, (node) => {
    const name = node.type === "ClassDeclaration" ? nameOf(node.id) : declaredFunction(node);
    return name !== undefined && word.test(name) ? name : undefined;
  });

/** Redactors: files that declare a function named for it. */
export const redactors = (sources: readonly Source[]): string[] => filesOf(namedFor(sources, /redact/i));

/** Globs: files that declare a matcher named for it, or make one of minimatch. */
export const globs = (sources: readonly Source[]): string[] =>
  filesOf([
    ...namedFor(sources, /(?:^g|G)lob(?!al)/),
    ...finds(sources, (node) =>
      node.type === "NewExpression" && nameOf(node.callee) === "Minimatch" ? "Minimatch" : undefined,
    ),
  ]);

/** Files that look up the variable of the state folder: not those that set it for a child, not texts about it. */
export const stateFolderReaders = (sources: readonly Source[]): string[] =>
  filesOf(
    finds(sources, (node, parents) => {
      const parent = parents.at(-1);
      if (node.type === "MemberExpression" && nameOf(node.property) === "HARN_STATE_DIR")
        return parent?.type === "AssignmentExpression" && parent.left === node
          ? undefined
          : "env.HARN_STATE_DIR";
      return stringOf(node) === "HARN_STATE_DIR" && parent?.type === "CallExpression" ? "a call" : undefined;
    }),
  );

/** Resolvers of names: files outside `types/` and `effects/` with a scope that has a parent scope. */
export const nameResolvers = (sources: readonly Source[]): string[] =>
  filesOf(
    finds(sources, (node, parents) => {
      if (node.type !== "TSPropertySignature" && node.type !== "PropertyDefinition") return undefined;
      if (nameOf(node.key) !== "parent") return undefined;
      const owner = parents.findLast(({ type }) => /^(?:TSInterface|Class)Declaration$/.test(type));
      const name = nameOf(owner?.id) ?? "";
      return /Scope$/.test(name) ? name : undefined;
    }).filter(({ path }) => !/^(?:types|effects)\//.test(path)),
  );

/** Where the store and its port are: what they lock is everybody's. */
/** What an executable is made of is no state. */
const oneStore = /^(?:store|durable|effects|host|executable)\//;

/** Files that lock or replace a file of their own: `open` for the first alone, a transaction by hand, a rename in its place. */
export const ownLocks = (sources: readonly Source[]): string[] =>
  filesOf(
    finds(
      sources.filter(({ path }) => !oneStore.test(path)),
      (node) => {
        if (stringOf(node) === "wx" || /^BEGIN IMMEDIATE/.test(stringOf(node) ?? "")) return "exclusive";
        return /^(?:renameSync|tryLock|withLock)$/.test(calledName(node) ?? "")
          ? calledName(node)
          : undefined;
      },
    ),
  );

function calledName(node: SyntaxNode): string | undefined {
  if (node.type !== "CallExpression" || !isNode(node.callee)) return undefined;
  return nameOf(node.callee.property ?? node.callee);
}

/** Files that name a file of state (`….json`, `….jsonl`) and write it with Node's own functions, past the host and the store. */
export function stateWriters(sources: readonly Source[]): string[] {
  const outside = sources.filter(({ path }) => !oneStore.test(path));
  const naming = finds(outside, (node) =>
    isText(node) ? textsOf(node).find((text) => /^[^\s:]*[\w}/-]?\.jsonl?$/.test(text)) : undefined,
  );
  const writing = finds(outside, (node) => {
    const called = calledName(node) ?? "";
    return /^(?:write|append)File(?:Sync)?$|^createWriteStream$/.test(called) ? called : undefined;
  });
  const writers = new Set(filesOf(writing));
  return filesOf(naming).filter((path) => writers.has(path));
}

const names = (node: SyntaxNode): string[] =>
  (node.elements as readonly unknown[]).map(stringOf).filter((text) => text !== undefined);

/**
 * Lists written by hand that repeat a table: array literals of at least `least` texts, four fifths of them names of one
 * of the tables, in files that `own` does not name as the tables'.
 */
export const handKeptLists = (
  sources: readonly Source[],
  tables: readonly ReadonlySet<string>[],
  own: RegExp,
  least = 5,
): Find[] =>
  finds(
    sources.filter(({ path }) => !own.test(path)),
    (node) => {
      if (node.type !== "ArrayExpression") return undefined;
      const listed = names(node);
      const known = Math.max(0, ...tables.map((table) => listed.filter((name) => table.has(name)).length));
      const enough = listed.length >= least && known >= listed.length * 0.8;
      return enough ? `${listed.slice(0, 4).join(", ")} … (${listed.length})` : undefined;
    },
  );

const toolEvents =
  /^(?:tool(?:[._](?:call(?:s|ed)?|start|end|result|error|use|audit))+(?:_update|_audit)?|(?:Pre|Post)ToolUse|(?:before|after)_tool_call)$/;
const tags = new Set(["type", "kind", "event", "topic"]);

/**
 * Places that say by a vocabulary of their own that a tool was called: a tag (`type`, `kind`, `event`, `topic`) of an object
 * that is made, or the first argument of a call that emits, with the name of such an event, outside `events/`. What cites its
 * source (`ref`) is a piece of evidence of that kind: it says where something was found, not that a tool was called.
 */
export const toolEventSources = (sources: readonly Source[]): Find[] =>
  finds(
    sources.filter(({ path }) => !/^(?:events|llm|model)\//.test(path)),
    (node, parents) => {
      const text = stringOf(node);
      if (text === undefined || !toolEvents.test(text)) return undefined;
      const parent = parents.at(-1);
      if (parent?.type === "Property" && parent.value === node && tags.has(nameOf(parent.key) ?? ""))
        return citesSource(parents.at(-2)) ? undefined : text;
      const called = parent === undefined ? undefined : calledName(parent);
      return /^(?:emit|tell|report|record|publish|event|log)/.test(called ?? "") ? text : undefined;
    },
  );

const citesSource = (object: SyntaxNode | undefined): boolean =>
  ((object?.properties ?? []) as readonly SyntaxNode[]).some(({ key }) => nameOf(key) === "ref");

const argumentNames = new Set(["arguments", "args", "rawArguments", "input"]);
const idNames = new Set(["id", "callId", "tool_call_id", "toolCallId", "tool_use_id", "call_id"]);

/** Declared shapes of one tool call: types with an id, a name and arguments of their own, between the wire and the request. */
export const callShapes = (sources: readonly Source[]): Find[] =>
  finds(
    sources.filter(({ path }) => /^(?:llm|model|agent|events)\//.test(path)),
    (node) => {
      if (node.type !== "TSInterfaceDeclaration" && node.type !== "TSTypeAliasDeclaration") return undefined;
      const body = (isNode(node.body) ? node.body.body : (node.typeAnnotation as SyntaxNode).members) as
        | readonly SyntaxNode[]
        | undefined;
      const keys = (body ?? []).map(({ key }) => nameOf(key) ?? "");
      const has = (wanted: ReadonlySet<string>): boolean => keys.some((key) => wanted.has(key));
      const named = keys.includes("name") || keys.includes("tool") || keys.includes("toolName");
      return named && has(argumentNames) && has(idNames) ? nameOf(node.id) : undefined;
    },
  );

/** Words that say in a private language what the field has a word for: history, diverged, in-flight, dead-letter, emit, max…. */
const privateWord =
  /^(?:parted|parting|flights?|keepers?|bury|buried|revived?|told|tells?|telling|heard|hears?|purses?|deepest|workplace|holding)$/;

/** Declared names with a private word, or a limit that is named `most…` or `MAX_…`. */
export const privateNames = (sources: readonly Source[]): Find[] =>
  finds(sources, (node, parents) => {
    const name = declaredName(node, parents.at(-1));
    if (name === undefined) return undefined;
    if (/^most[A-Z]|^M(?:AX|OST)_/.test(name)) return name;
    const words = name
      .replaceAll(/(?<=[a-z0-9])(?=[A-Z])/g, " ")
      .toLowerCase()
      .split(/[ _$]+/);
    return words.some((word, at) => privateWord.test(word) && !(word === "flight" && words[at - 1] === "in"))
      ? name
      : undefined;
  });

const declarations =
  /^(?:VariableDeclarator|(?:Function|Class|TSInterface|TSTypeAlias)Declaration|TSPropertySignature|PropertyDefinition|MethodDefinition|TSMethodSignature)$/;

/** The name that is declared here: of a variable, function, type, member, parameter. */
function declaredName(node: SyntaxNode, parent: SyntaxNode | undefined): string | undefined {
  if (declarations.test(node.type)) return nameOf(node.id ?? node.key);
  const isParameter = node.type === "Identifier" && (parent?.params as unknown[] | undefined)?.includes(node);
  return isParameter === true ? nameOf(node) : undefined;
}
