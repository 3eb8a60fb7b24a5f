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

/**
 * \`grammar/diagrams.html\`: Chevrotain's page, with its scripts and styles put inside so that it loads nothing.
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
