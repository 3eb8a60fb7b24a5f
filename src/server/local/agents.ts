/** Which scripts are served: those of the command line, else those of `[agents]` in harn.toml. */

import { existsSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { z } from "zod";
import { UsageError } from "../../host/command/index.ts";
import { loadedManifest, type Manifest } from "../../manifest/index.ts";
import { ownProcess } from "../../process/index.ts";
import { checkedFile } from "../../program/index.ts";
import { isDeclaration } from "../../syntax/nodes.ts";
import { isJsonObject } from "../../values/index.ts";
import { parsedOr } from "../field-errors.ts";
import { config as agentConfig } from "../routes/schemas.ts";
import type { ServedAgent } from "../supervise/index.ts";
import { codeModule } from "./code-sandbox.ts";

/** In addresses and records. */
export const agentName = /^[A-Za-z0-9_-]{1,64}$/;
const agentTable = z.object({
  script: z.string(),
  title: z.string().optional(),
  mode: z.enum(["plan", "execute"]).optional(),
  config: z.record(z.string(), z.unknown()).default({}),
  examples: z.array(z.string()).default([]),
});
const serveTable = z.object({
  port: z.int().min(0).max(65_535).optional(),
  /** Absolute where it is read. */
  workspaces: z.string().optional(),
});

/** `more`: configuration that holds for all, below what they say themselves. */
export async function servedAgents(
  files: readonly string[],
  manifest: Manifest | undefined,
  more: ServedAgent["config"],
): Promise<ServedAgent[]> {
  if (files.length > 0) return ofFiles(files, more);
  const tables = manifest?.tables.agents;
  if (tables === undefined || manifest === undefined) return [];
  if (!isJsonObject(tables)) throw wrong(manifest, "agents", "expected tables, `[agents.NAME]`");
  return Object.entries(tables).map(([name, table]) => ofTable(manifest, name, table, more));
}

function ofFiles(files: readonly string[], config: ServedAgent["config"]): ServedAgent[] {
  const agents = files.map((file): ServedAgent => {
    const name = basename(file).replace(/\.harn$/, "");
    if (!agentName.test(name))
      throw new UsageError(`${file}: an agent is named by its file, with letters, digits, \`_\` and \`-\``);
    return { name, title: name, script: existing(resolve(file), file), mode: null, config };
  });
  const twice = agents.find(({ name }, index) => agents.findIndex((one) => one.name === name) < index);
  if (twice !== undefined)
    throw new UsageError(`two agents are called ${twice.name}: rename one of the files`);
  return agents;
}

function ofTable(manifest: Manifest, name: string, table: unknown, more: ServedAgent["config"]): ServedAgent {
  const where = `agents.${name}`;
  if (!agentName.test(name)) throw wrong(manifest, where, "a name has letters, digits, `_` and `-`");
  const { script, title = name, mode = null, config, examples } = fitting(manifest, where, agentTable, table);
  const path = existing(resolve(dirname(manifest.path), script), `${manifest.path}: [${where}]: ${script}`);
  const own = asJson(config);
  const problem = agentConfigProblem(own);
  if (problem !== undefined) throw wrong(manifest, where, `config: ${problem}`);
  return {
    name,
    title,
    script: path,
    mode,
    config: { ...more, ...own },
    examples,
  };
}

/** What a program of its own says of an agent, checked. */
export interface GivenAgent {
  readonly name: string;
  readonly script: string;
  readonly title?: string | undefined;
  readonly mode?: "plan" | "execute" | undefined;
  readonly config?: ServedAgent["config"] | undefined;
  readonly examples?: readonly string[] | undefined;
}

/** `project`: where their scripts are. */
export const agentsOfProgram = (project: string, agents: readonly GivenAgent[]): ServedAgent[] =>
  agents.map(({ name, script, title = name, mode = null, config = {}, examples = [] }) => ({
    name,
    title,
    script: existing(resolve(project, script), `the agent ${name}: ${script}`),
    mode,
    config,
    examples,
  }));

/** Why a configuration of an agent can't be used, in words. */
export function agentConfigProblem(config: unknown): string | undefined {
  const parsed = parsedOr(agentConfig, config, "");
  return "value" in parsed ? undefined : withPath(parsed.errors[0]);
}

/** `[serve]` of harn.toml. */
export function serveSettings(manifest: Manifest | undefined): z.output<typeof serveTable> {
  const table = manifest?.tables.serve;
  if (manifest === undefined || table === undefined) return {};
  const { workspaces, ...read } = fitting(manifest, "serve", serveTable, table);
  return workspaces === undefined
    ? read
    : { ...read, workspaces: resolve(dirname(manifest.path), workspaces) };
}

/** A table of the manifest as its schema has it. */
function fitting<T>(manifest: Manifest, where: string, schema: z.ZodType<T>, table: unknown): T {
  const parsed = parsedOr(schema, table, "");
  if ("value" in parsed) return parsed.value;
  throw wrong(manifest, where, withPath(parsed.errors[0]));
}

const withPath = ({ path, message } = { path: "", message: "it does not fit" }): string =>
  path === "" ? message : `\`${path}\` ${message}`;

/** Whether runs take their answers from a file and ask no model: the page says so. */
export const areAnswersWritten = ({
  llmMock,
  tape,
  provider,
}: Readonly<Partial<Record<"llmMock" | "tape" | "provider", string>>>): boolean =>
  llmMock !== undefined || tape !== undefined || provider === "mock";

/** The manifest of the project that a command is called in, or of its first script. */
export const manifestFor = (files: readonly string[]): Promise<Manifest | undefined> =>
  loadedManifest(files[0] ?? join(ownProcess().cwd(), "harn.toml"));

function existing(path: string, shown: string): string {
  if (existsSync(path)) return path;
  throw new UsageError(`${shown}: there is no such file`, "HARN-CLI-006");
}

/** Dates of TOML become texts. */
const asJson = (config: Readonly<Record<string, unknown>>): ServedAgent["config"] =>
  JSON.parse(JSON.stringify(config)) as ServedAgent["config"];

const wrong = (manifest: Manifest, where: string, what: string): UsageError =>
  new UsageError(`${manifest.path}: [${where}]: ${what}`, "HARN-CLI-008");

/**
 * Shows what is wrong with the scripts as `harn run` does. Throws a `UsageError` when none of them can run. One of several that
 * cannot is said and served all the same: each message reads its script anew, so it works as soon as somebody mends it.
 * Gives whether one of them may run code of agents.
 */
export async function checkServed(
  agents: readonly ServedAgent[],
  report: (text: string) => void,
): Promise<{ readonly runsCode: boolean }> {
  const broken: string[] = [];
  let runsCode = false;
  for (const { name, script } of agents) {
    const looked = await lookAtScript(script);
    if ("why" in looked) broken.push(`the agent ${name} can't work: ${looked.why}`);
    else runsCode ||= looked.runsCode;
  }
  if (broken.length > 0 && broken.length === agents.length)
    throw new UsageError(broken.join("\n"), "HARN-CLI-008");
  for (const one of broken) report(`${one}; its messages fail until that is mended`);
  return { runsCode };
}

async function lookAtScript(
  script: string,
): Promise<{ readonly why: string } | { readonly runsCode: boolean }> {
  try {
    const program = await checkedFile(script);
    if (program === undefined) return { why: `${script} has errors` };
    const { ast, entry, mainCall } = program.resolved.entry;
    const hasWork = ast.items.some((item) => item.kind !== "Import" && !isDeclaration(item));
    if (entry === undefined && mainCall === undefined && !hasWork)
      return {
        why: `${script} only declares things: it has no pipeline and no statement that a message could run`,
      };
    return { runsCode: program.resolved.modules.some(({ path }) => codeModule.test(path)) };
  } catch (error) {
    if (error instanceof UsageError) return { why: error.message };
    throw error;
  }
}
