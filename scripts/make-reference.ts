/**
 * The pages that are made from the sources: `npm run docs`. With `--check` it only compares and fails when one is out of date.
 *
 *   docs/builtins.md   from the builtin table
 *   docs/manifest.md   from the rows of `harn.toml`
 *   docs/reference/errors.md   from the catalogue of codes
 *   docs/reference/environment.md   from the variables that are read, and the providers
 *   docs/openapi.json  from the table of routes of `harn serve`
 *   docs/reference/cli.md, the table of commands in README.md   from the table of commands
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { builtinTable } from "../src/builtins/index.ts";
import { cliPage, readmeWith } from "../src/cli/commands/page.ts";
import { table } from "../src/cli/commands/table.ts";
import { catalogue } from "../src/diagnostics/index.ts";
import { version } from "../src/host/command/variables.ts";
import { manifestFields, unreadSections } from "../src/manifest/manifest-fields.ts";
import { builtinProviders } from "../src/model/llm/catalogue/providers.ts";
import { environmentVariables } from "../src/process/environment.ts";
import { allRoutes, openApi } from "../src/server/index.ts";
import { environmentPage, errorsPage, manifestPage } from "../src/tools/doc/pages.ts";
import { referencePage as pageOf } from "../src/tools/doc/reference.ts";

const root = fileURLToPath(new URL("..", import.meta.url));

export const referencePath: string = join(root, "docs/builtins.md");

/** The whole page of builtins. */
export const referencePage = (): string => pageOf(builtinTable().values());

/** Every page with its path. */
export const pages = (): readonly (readonly [path: string, text: string])[] => [
  [referencePath, referencePage()],
  [join(root, "docs/manifest.md"), manifestPage(manifestFields, unreadSections)],
  [join(root, "docs/reference/errors.md"), errorsPage(Object.keys(catalogue))],
  [join(root, "docs/reference/cli.md"), cliPage(table)],
  [join(root, "README.md"), readmeWith(readFileSync(join(root, "README.md"), "utf8"), table)],
  [join(root, "docs/reference/environment.md"), environmentPage(environmentVariables, builtinProviders())],
  [join(root, "docs/openapi.json"), `${JSON.stringify(openApi(allRoutes, version), null, 2)}\n`],
];

function main(): void {
  for (const [path, text] of pages()) {
    if (!process.argv.includes("--check")) {
      writeFileSync(path, text);
      continue;
    }
    if (readFileSync(path, "utf8") === text) continue;
    console.error(`${path.slice(root.length)} is out of date: run \`npm run docs\``);
    process.exitCode = 1;
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) main();
