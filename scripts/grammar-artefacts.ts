/** The texts that are generated from the parser's rules. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { createSyntaxDiagramsCode } from "chevrotain";
import { computeTables } from "../src/syntax/first-sets.ts";
import { HarnParser } from "../src/syntax/grammar/program.ts";

let made: HarnParser | undefined;

/** The parser with its grammar recorded and validated by Chevrotain. */
export function analysedParser(): HarnParser {
  made ??= new HarnParser("analysed");
  return made;
}

/** `src/syntax/lookahead-tables.ts` */
export function lookaheadTables(): string {
  const tables = computeTables(analysedParser().getGAstProductions());
  const list = (rows: readonly unknown[]): string =>
    rows.map((row) => `    ${JSON.stringify(row)},`).join("\n");
  return `/** Generated from the grammar by \`npm run grammar\`; do not edit. */
import type { LookaheadTables } from "./lookahead.ts";

// biome-ignore format: generated
export const tables: LookaheadTables = {
  rules: ${JSON.stringify(tables.rules)},
  sets: [
${list(tables.sets)}
  ],
  choices: [
${list(tables.choices)}
  ],
};
`;
}

/** Terminals written by their name, as `harn.ebnf` explains them; the others stand for themselves. */
const NAMED =
  /^(AnyName|Identifier|BinaryOperator|AssignOperator|Int|Float|Duration|Str|RawStr|StrStart|StrMid|StrEnd|Newline)$/;

/** Every rule in the notation of `grammar/harn.ebnf`, by name: what the file is compared with. */
export function ruleTexts(): Map<string, string> {
  const rules = analysedParser().getSerializedGastProductions() as unknown as Production[];
  return new Map(rules.map((rule) => [rule.name!, sequence(rule.definition!)]));
}

/** A production as Chevrotain serializes it. */
interface Production {
  readonly type: string;
  readonly name?: string;
  readonly label?: string;
  readonly definition?: Production[];
  readonly separator?: Production;
}

function sequence(definition: readonly Production[]): string {
  return definition.map((one) => production(one)).join(" ");
}

function production(one: Production): string {
  switch (one.type) {
    case "NonTerminal":
      return one.name!;
    case "Terminal":
      return NAMED.test(one.name!) ? one.name! : `'${one.label}'`;
    case "Option":
      return `${group(one.definition!)}?`;
    case "Repetition":
      return `${group(one.definition!)}*`;
    case "RepetitionMandatoryWithSeparator": {
      const item = sequence(one.definition!);
      return `${item} ( ${production(one.separator!)} ${item} )*`;
    }
    case "Alternation":
      return `( ${one.definition!.map((alternative) => sequence(alternative.definition!)).join(" | ")} )`;
    default:
      throw new Error(`no notation for ${one.type}`);
  }
}

/** A part that carries `?` or `*`: in parentheses unless it is one word or has its own. */
function group(definition: readonly Production[]): string {
  const text = sequence(definition);
  const only = definition.length === 1 ? definition[0]!.type : "";
  return ["NonTerminal", "Terminal", "Alternation"].includes(only) ? text : `( ${text} )`;
}

/**
 * `grammar/diagrams.html`: Chevrotain's page, with its scripts and styles put inside so that it loads nothing.
 */
export function diagrams(): string {
  const base = "./diagrams/";
  const page = createSyntaxDiagramsCode(analysedParser().getSerializedGastProductions(), {
    resourceBase: base,
    css: `${base}diagrams.css`,
  });
  return page
    .replace(
      /<link rel='stylesheet' href='([^']*)'>/g,
      (_, href: string) => `<style>\n${resource(href, base)}\n</style>`,
    )
    .replace(
      /<script src='([^']*)'><\/script>/g,
      (_, src: string) => `<script>\n${resource(src, base)}\n</script>`,
    )
    .replace(/[ \t]+$/gm, "")
    .trimStart();
}

function resource(url: string, base: string): string {
  // The package exports only its entry, `lib/src/api.js`.
  const home = join(dirname(createRequire(import.meta.url).resolve("chevrotain")), "../..");
  return readFileSync(join(home, "diagrams", url.slice(base.length)), "utf8").trim();
}
