/**
 * The programs that a session runs. Each stretch of an input becomes a script of its own:
 *
 *     let a = ‹global a›        variables of earlier inputs, with the values they have now
 *     fn f() { … }              declarations of earlier inputs
 *     … the new statements …
 *     let ‹value› = 1 + 2       where the last statement is an expression
 *     let ‹done› = ‹global›     set when the end was reached
 *
 * Names in ‹› begin with a character that no script can write.
 */
import type { Span } from "../../source/index.ts";
import type { Expr, FnDecl, Item, Let, Name, Pattern, Program } from "../../syntax/index.ts";

const mark = "\u0000";
export const globalName = (name: string): string => `${mark}${name}`;
export const valueName = `${mark}value`;
export const doneName = `${mark}done`;
/** What a variable is called until its new value exists: its initialiser still reads the old one. */
export const freshVariable = (name: string): string => `${mark}new ${name}`;
export const realName = (name: string): string | undefined =>
  name.startsWith(`${mark}new `) ? name.slice(`${mark}new `.length) : undefined;

/** `let name = value`, standing at a place. */
export function letOf(name: string, value: Expr, mutable = false): Let {
  const { start, end } = value;
  return {
    kind: "Let",
    keyword: mutable ? "var" : "let",
    pattern: { kind: "NamePattern", name: { text: name, start, end }, start, end },
    type: undefined,
    value,
    start,
    end,
  };
}

export const identifier = (name: string, { start, end }: Span): Expr => ({
  kind: "Identifier",
  name,
  start,
  end,
});

export function programOf(items: readonly Item[], end: number): Program {
  return { kind: "Program", start: 0, end, items };
}

/** The names that a pattern binds. */
export function patternNames(pattern: Pattern): Name[] {
  const named = (name: Name | undefined): Name[] => (name === undefined || name.text === "_" ? [] : [name]);
  switch (pattern.kind) {
    case "NamePattern":
      return named(pattern.name);
    case "PairPattern":
      return [...named(pattern.first), ...named(pattern.second)];
    case "ListPattern":
      return [...pattern.elements.flatMap(({ name }) => named(name)), ...named(pattern.rest)];
    case "DictPattern":
      return [...pattern.entries.flatMap(({ key, alias }) => named(alias ?? key)), ...named(pattern.rest)];
  }
}

/** The same binding under fresh names. */
export function withFreshNames(node: Let): Let {
  return { ...node, pattern: freshPattern(node.pattern) };
}

function freshPattern(pattern: Pattern): Pattern {
  const fresh = (name: Name): Name =>
    name.text === "_" ? name : { ...name, text: freshVariable(name.text) };
  const maybe = (name: Name | undefined): Name | undefined => (name === undefined ? undefined : fresh(name));
  switch (pattern.kind) {
    case "NamePattern":
      return { ...pattern, name: fresh(pattern.name) };
    case "PairPattern":
      return { ...pattern, first: fresh(pattern.first), second: fresh(pattern.second) };
    case "ListPattern":
      return {
        ...pattern,
        elements: pattern.elements.map((one) => ({ ...one, name: fresh(one.name) })),
        rest: maybe(pattern.rest),
      };
    case "DictPattern":
      return {
        ...pattern,
        entries: pattern.entries.map((one) => ({ ...one, alias: fresh(one.alias ?? one.key) })),
        rest: maybe(pattern.rest),
      };
  }
}

/** Declarations without anything to run: they are compiled again with every input. */
export type ReplDeclaration = Extract<
  Item,
  { kind: "FnDecl" | "StructDecl" | "EnumDecl" | "InterfaceDecl" | "TypeAliasDecl" | "ImplDecl" }
>;

/** Attributes with which a function registers itself when its declaration runs: that must happen once. */
const registering = new Set(["acp_tool", "acp_skill"]);

/** The function as later inputs see it: registered already. */
export const registered = (item: FnDecl): FnDecl => ({
  ...item,
  attributes: item.attributes.filter((attribute) => !registering.has(attribute.name.text)),
});

export function isKept(item: Item): item is ReplDeclaration {
  if (item.kind === "FnDecl")
    return !item.attributes.some((attribute) => registering.has(attribute.name.text));
  return ["StructDecl", "EnumDecl", "InterfaceDecl", "TypeAliasDecl", "ImplDecl"].includes(item.kind);
}
