/**
 * The skills of the file system as compact cards (agents.md §15.2): frontmatter, layer and folder; bodies stay on the
 * disk until somebody needs them. Looked for once per run, when a program first asks, as one observation: a replay needs
 * no files.
 */

import type { Json } from "../effects/index.ts";
import { HostError, machineOfProgram } from "../host/index.ts";
import type { StateKey, Task } from "../interp/index.ts";
import type { JsonObject } from "../model/index.ts";
import { projectManifest, warn } from "../model/index.ts";
import { type Dict, display, fromJson, ScriptError } from "../values/index.ts";
import { skillEntry, skillRegistryOf } from "./skill-entries.ts";
import { BrokenSkill, parseSkillFile } from "./skill-file.ts";
import { type SkillFolder, skillFolders } from "./skill-layers.ts";

interface Found {
  readonly cards: readonly JsonObject[];
  readonly warnings: readonly string[];
}

const discovered: StateKey<{ registry: Dict | undefined }> = {
  name: "agent.discovered skills",
  create: () => ({ registry: undefined }),
};

/** The registry of all skills of the file system; of equal names the highest layer's. */
export function discoveredSkills(task: Task): Dict {
  const state = task.runtime.state(discovered);
  if (state.registry !== undefined) return state.registry;
  const manifest = projectManifest(task);
  // Reading small files is synchronous, live and replayed.
  const found = task.perform<Found>({
    effect: "observe",
    kind: "skills.discover",
    args: () => null,
    run: () => {
      const { folders, warnings } = skillFolders(task.runtime, manifest);
      return lookThrough(task, folders, warnings);
    },
    encode: (result) => result as unknown as Json,
    decode: (stored) => stored as unknown as Found,
  }) as Found;
  const warnings = [...found.warnings];
  const entries = new Map<string, Dict>();
  for (const card of found.cards) {
    const entry = checkedCard(card, warnings);
    if (entry !== undefined && !entries.has(String(card.name))) entries.set(String(card.name), entry);
  }
  for (const warning of warnings) warn(task, `skills: ${warning}`);
  state.registry = skillRegistryOf([...entries.values()]);
  return state.registry;
}

/** Whether the program has asked for the skills of the file system, and so for the manifest. */
export const hasDiscovered = (task: Task): boolean => task.runtime.state(discovered).registry !== undefined;

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

function lookThrough(task: Task, folders: readonly SkillFolder[], known: readonly string[]): Found {
  const cards: JsonObject[] = [];
  const warnings = [...known];
  for (const folder of folders) {
    for (const path of skillsIn(task, folder.path)) {
      try {
        cards.push(readCard(task, folder, path));
      } catch (error) {
        if (!(error instanceof BrokenSkill || error instanceof HostError)) throw error;
        warnings.push(`${path}/SKILL.md is left out: ${error.message}`);
      }
    }
  }
  return { cards, warnings };
}

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
