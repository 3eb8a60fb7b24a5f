/**
 * The pages that are made from the sources: `npm run docs`. With `--check` it only compares and fails when one is out of date.
 *
 *   docs/builtins.md   from the builtin table
 *   docs/reference/agent-loop.md   from the rows of the loop: options, result, ends, events
 *   docs/manifest.md   from the rows of `harn.toml`
 *   docs/reference/errors.md   from the catalogue of codes
 *   docs/reference/environment.md   from the variables that are read, and the providers
 *   docs/openapi.json  from the table of routes of `harn serve`
 *   src/library/agent-options.ts   the types of the options of agents, from the rows of the loop
 *   docs/reference/cli.md, the table of commands in README.md   from the table of commands
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { stopRows } from "../src/agent/completion/stop-table.ts";
import { builtinRules } from "../src/agent/context/jit/rules.ts";
import { hookTimes } from "../src/agent/contract/hooks.ts";
import { sessionEventTimes } from "../src/agent/hooks/session-hooks.ts";
import { loopFields, loopSubjects } from "../src/agent/options/loop-fields.ts";
import { promptIds } from "../src/agent/options/prompt-ids.ts";
import { loopEnds } from "../src/agent/state/loop-ends.ts";
import { loopResultDocs, loopResultKeys } from "../src/agent/state/loop-result-keys.ts";
import { builtinTable } from "../src/builtins/index.ts";
import { cliPage, readmeWith } from "../src/cli/commands/page.ts";
import { table } from "../src/cli/commands/tree.ts";
import { catalogue } from "../src/diagnostics/index.ts";
import { liveEvents } from "../src/events/index.ts";
import { version } from "../src/host/command/command-process.ts";
import { manifestFields, unreadSections } from "../src/manifest/manifest-fields.ts";
import { interventionMeanings } from "../src/model/conversation/interventions.ts";
import { builtinProviders } from "../src/model/llm/catalogue/providers.ts";
import { environmentVariables } from "../src/process/environment.ts";
import { allRoutes, openApi } from "../src/server/index.ts";
import { agentLoopPage, type LoopRows } from "../src/tools/doc/agent-loop-page.ts";
import { ShownOptions } from "../src/tools/doc/option-tables.ts";
import { environmentPage, errorsPage, manifestPage } from "../src/tools/doc/pages.ts";
import { referencePage as pageOf } from "../src/tools/doc/reference.ts";
import { agentOptionsText } from "./agent-options.ts";

const root = fileURLToPath(new URL("..", import.meta.url));

export const referencePath: string = join(root, "docs/builtins.md");

const loopRows: LoopRows = {
  options: loopFields,
  subjects: loopSubjects,
  resultKeys: loopResultKeys,
  resultDocs: loopResultDocs,
  ends: loopEnds,
  stopRows,
  liveEvents,
  hookTopics: hookTimes,
  sessionEvents: sessionEventTimes,
  interventions: interventionMeanings,
  instructions: builtinRules,
  prompts: promptIds,
};

/** The page of the loop and that of all builtins, which points to it. */
function functionPages(): { readonly loop: string; readonly builtins: string } {
  const specs = builtinTable();
  const shown = new ShownOptions();
  const call = specs.get("llm_call");
  if (call !== undefined) shown.prepare(call);
  const loop = agentLoopPage(loopRows, shown);
  return { loop, builtins: pageOf(specs.values(), shown) };
}

/** Every page with its path. */
export function pages(): readonly (readonly [path: string, text: string])[] {
  const { loop, builtins } = functionPages();
  return [
    [referencePath, builtins],
    [join(root, "docs/reference/agent-loop.md"), loop],
    [join(root, "docs/manifest.md"), manifestPage(manifestFields, unreadSections)],
    [join(root, "docs/reference/errors.md"), errorsPage(Object.keys(catalogue))],
    [join(root, "docs/reference/cli.md"), cliPage(table)],
    [join(root, "README.md"), readmeWith(readFileSync(join(root, "README.md"), "utf8"), table)],
    [join(root, "docs/reference/environment.md"), environmentPage(environmentVariables, builtinProviders())],
    [join(root, "src/library/agent-options.ts"), agentOptionsText()],
    [join(root, "docs/openapi.json"), `${JSON.stringify(openApi(allRoutes, version), null, 2)}\n`],
  ];
}

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
