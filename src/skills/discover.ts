/**
 * The skills of the file system as compact cards (agents.md §15.2): frontmatter, layer and folder; bodies stay on the
 * disk until somebody needs them. Looked for once per run, when a program first asks, as one observation: a replay needs
 * no files.
 */

import { policyScopes } from "../agent/index.ts";
import { type ResultOf, shape } from "../effects/index.ts";
import { HostError, machineOfProgram, watchEgress } from "../host/index.ts";
import { stateKey, type Task, withMutex } from "../interp/index.ts";
import type { JsonObject, ProjectManifest } from "../model/index.ts";
import { projectManifest, warn } from "../model/index.ts";
import { type Dict, display, fromJson, type MaybePromise, ScriptError } from "../values/index.ts";
import type { GitSource } from "./git-address.ts";
import { fetchedShape, fetchSource, type GitFetch } from "./git-source.ts";
import { skillEntry, skillRegistryOf } from "./skill-entries.ts";
import { BrokenSkill, parseSkillFile } from "./skill-file.ts";
import { gitSources, type SkillFolder, skillFolders } from "./skill-layers.ts";

const foundShape = shape.record({
  cards: shape.listOf(shape.someFields<JsonObject>({})),
  warnings: shape.listOf(shape.text),
});
type SkillCards = ResultOf<typeof foundShape>;

const discovered = stateKey<{ registry: Dict | undefined }>("agent.discovered skills", () => ({
  registry: undefined,
}));

/** The registry of all skills of the file system; of equal names the highest layer's. Repositories are fetched first. */
export function discoveredSkills(task: Task): MaybePromise<Dict> {
  const state = task.runtime.state(discovered);
  if (state.registry !== undefined) return state.registry;
  const manifest = projectManifest(task);
  const sources = gitSources(manifest, task.runtime.host);
  if (sources.length === 0) {
    state.registry = discover(task, manifest, []);
    return state.registry;
  }
  return fetchedSkills(task, manifest, sources);
}

/** Tasks that ask at once wait for one fetching. */
async function fetchedSkills(
  task: Task,
  manifest: ProjectManifest | null,
  sources: readonly GitSource[],
): Promise<Dict> {
  const state = task.runtime.state(discovered);
  await withMutex(task, "skills of repositories", async () => {
    if (state.registry !== undefined) return;
    const fetched: GitFetch[] = [];
    watchEgress(task);
    for (const source of sources) fetched.push(await fetchOne(task, source));
    state.registry = discover(task, manifest, fetched);
  });
  return state.registry as Dict;
}

async function fetchOne(task: Task, source: GitSource): Promise<GitFetch> {
  const { shown, ref } = source;
  return await task.perform<GitFetch>({
    effect: "read",
    kind: "skills.fetch",
    args: () => ({ url: shown, [ref.kind]: ref.name }),
    run: (signal) => fetchSource(machineOfProgram(task.runtime.host), source, signal),
    result: fetchedShape,
  });
}

function discover(task: Task, manifest: ProjectManifest | null, fetched: readonly GitFetch[]): Dict {
  // Reading small files is synchronous, live and replayed.
  const found = task.perform<SkillCards>({
    effect: "observe",
    kind: "skills.discover",
    args: () => null,
    run: () => {
      const { folders, warnings } = skillFolders(task.runtime, manifest, fetched);
      return lookThrough(task, folders, warnings);
    },
    result: foundShape,
  }) as SkillCards;
  const warnings = [...found.warnings];
  const entries = new Map<string, Dict>();
  for (const card of found.cards) {
    const entry = checkedCard(card, warnings);
    if (entry !== undefined && !entries.has(String(card.name))) entries.set(String(card.name), entry);
  }
  for (const warning of warnings) warn(task, `skills: ${warning}`);
  return skillRegistryOf([...entries.values()]);
}

/** A card whose fields have the wrong type is left out, and said. */
function checkedCard(card: JsonObject, warnings: string[]): Dict | undefined {
  try {
    return skillEntry(String(card.name), fromJson(card) as Dict);
  } catch (error) {
    if (!(error instanceof ScriptError)) throw error;
    warnings.push(
      `${String(card.skill_dir)}/SKILL.md: ${display(error.value).replace("skill_define: ", "")}`,
    );
    return undefined;
  }
}

function lookThrough(task: Task, folders: readonly SkillFolder[], known: readonly string[]): SkillCards {
  const cards: JsonObject[] = [];
  const warnings = [...known];
  for (const folder of folders) {
    for (const path of allowedSkillsIn(task, folder, warnings)) {
      try {
        cards.push(readCard(task, folder, path));
      } catch (error) {
        if (!(error instanceof BrokenSkill || error instanceof HostError || error instanceof ScriptError))
          throw error;
        const why = error instanceof ScriptError ? display(error.value) : error.message;
        warnings.push(`${path}/SKILL.md is left out: ${why}`);
      }
    }
  }
  return { cards, warnings };
}

/** Layers whose folders somebody has named: that one may not be read is said. */
const namedLayers: ReadonlySet<string> = new Set(["cli", "env", "manifest", "host"]);

function allowedSkillsIn(task: Task, { layer, path }: SkillFolder, warnings: string[]): string[] {
  try {
    return skillsIn(task, path);
  } catch (error) {
    // What a loop's ceilings keep from its tools is there for the rest of the run.
    if (!(error instanceof ScriptError) || isUnderCeiling(task)) throw error;
    if (namedLayers.has(layer)) warnings.push(`${path} is left out: ${display(error.value)}`);
    return [];
  }
}

const isUnderCeiling = (task: Task): boolean =>
  task.runtime
    .state(policyScopes)
    .binding(task)
    .some(({ policy }) => policy !== null);

/** Folders with a SKILL.md: the folder itself, or those right inside. What may not be looked at holds none. */
function skillsIn(task: Task, folder: string): string[] {
  const { files } = machineOfProgram(task.runtime.host);
  const isSkill = (path: string): boolean => files.stat(`${path}/SKILL.md`)?.kind === "file";
  try {
    if (files.stat(folder)?.kind !== "dir") return [];
    if (isSkill(folder)) return [folder];
    const names = files.list(folder).map(({ name }) => name);
    return names
      .sort()
      .map((name) => `${folder}/${name}`)
      .filter(isSkill);
  } catch (error) {
    if (error instanceof HostError) return [];
    throw error;
  }
}

function readCard(task: Task, folder: SkillFolder, path: string): JsonObject {
  const { files, libraries } = machineOfProgram(task.runtime.host);
  const { fields } = parseSkillFile(files.readText(`${path}/SKILL.md`), libraries.yaml());
  const own = typeof fields.name === "string" && fields.name !== "" ? fields.name : skillFolderName(path);
  const name = folder.namespace === null ? own : `${folder.namespace}/${own}`;
  return { ...fields, name, source: folder.layer, skill_dir: path, body: null, prompt: null };
}

const skillFolderName = (path: string): string => path.slice(path.lastIndexOf("/") + 1);
