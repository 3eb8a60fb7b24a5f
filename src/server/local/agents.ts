/** Which scripts are served: those of the command line, else those of `[agents]` in harn.toml. */

import { existsSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { UsageError } from "../../host/command/index.ts";
import { loadedManifest, type Manifest } from "../../manifest/index.ts";
import { ownProcess } from "../../process/index.ts";
import { isJsonObject } from "../../values/index.ts";
import type { ServedAgent } from "../supervise/index.ts";

/** In addresses and records. */
const agentName = /^[A-Za-z0-9_-]{1,64}$/;
const modes = ["plan", "execute"];

interface AgentTable {
  readonly script?: unknown;
  readonly title?: unknown;
  readonly mode?: unknown;
  readonly config?: unknown;
  readonly examples?: unknown;
}

export interface ServeSettings {
  readonly port: number | undefined;
  /** Absolute path. */
  readonly workspaces: string | undefined;
}

/** `more`: configuration that holds for all, below what they say themselves. */
export async function servedAgents(
  files: readonly string[],
  manifest: Manifest | undefined,
  more: ServedAgent["config"],
): Promise<ServedAgent[]> {
  if (files.length > 0) return ofFiles(files, more);
  const tables = manifest?.tables.agents;
  if (tables === undefined || manifest === undefined) return [];
  if (!isJsonObject(tables)) throw wrong(manifest, "agents", "must be tables: `[agents.NAME]`");
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
  if (!isJsonObject(table)) throw wrong(manifest, where, "must be a table");
  const { script, title = name, mode = null, config = {}, examples = [] } = table as AgentTable;
  if (typeof script !== "string") throw wrong(manifest, where, "`script` must be a path");
  if (typeof title !== "string") throw wrong(manifest, where, "`title` must be a string");
  if (mode !== null && !modes.includes(mode as string))
    throw wrong(manifest, where, `\`mode\` must be one of ${modes.join(", ")}`);
  if (!isJsonObject(config)) throw wrong(manifest, where, "`config` must be a table");
  if (!Array.isArray(examples) || !examples.every((one) => typeof one === "string"))
    throw wrong(manifest, where, "`examples` must be a list of strings");
  const path = existing(resolve(dirname(manifest.path), script), `${manifest.path}: [${where}]: ${script}`);
  return {
    name,
    title,
    script: path,
    mode: mode as string | null,
    config: { ...more, ...asJson(config) },
    examples,
  };
}

/** `[serve]` of harn.toml. */
export function serveSettings(manifest: Manifest | undefined): ServeSettings {
  const table = manifest?.tables.serve;
  if (manifest === undefined || table === undefined) return { port: undefined, workspaces: undefined };
  if (!isJsonObject(table)) throw wrong(manifest, "serve", "must be a table");
  const { port, workspaces } = table as { readonly port?: unknown; readonly workspaces?: unknown };
  if (port !== undefined && !(Number.isInteger(port) && Number(port) >= 0 && Number(port) <= 65_535))
    throw wrong(manifest, "serve", "`port` must be a whole number from 0 to 65535");
  if (workspaces !== undefined && typeof workspaces !== "string")
    throw wrong(manifest, "serve", "`workspaces` must be a path");
  return {
    port: port as number | undefined,
    workspaces: workspaces === undefined ? undefined : resolve(dirname(manifest.path), workspaces),
  };
}

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
