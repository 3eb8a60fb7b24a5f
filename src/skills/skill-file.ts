/**
 * SKILL.md: YAML between two `---` lines, then the body (agents.md §15.2). Hyphens in the names of fields become
 * underscores; lists may be written as one text with commas. The reader gives plain JSON, which is what journals keep.
 */

import type { Json, JsonObject } from "../model/index.ts";
import { containsItself } from "../values/index.ts";
import { skillFields } from "./skill-fields.ts";

export interface SkillFile {
  readonly fields: JsonObject;
  readonly body: string;
}

/** A file that can't be read as a skill; the message says why. */
export class BrokenSkill extends Error {}

interface Yaml {
  parse(text: string, options: { maxAliasCount: number }): unknown;
}

const isListField = (name: string): boolean =>
  name === "trusted_signers" || skillFields.set("list").has(name);
const maxAliases = 100;

/**
 * Reads the text of a file; blank lines may stand before the frontmatter. A file without frontmatter, or whose frontmatter
 * is never closed, is all body.
 */
export function parseSkillFile(text: string, yaml: Yaml): SkillFile {
  const plain = text.replace(/^\uFEFF/, "");
  const found = /^(?:[ \t]*\r?\n)*---[ \t]*\r?\n([\s\S]*?)(?:^|\r?\n)---[ \t]*(?:\r?\n|$)/.exec(plain);
  if (found === null) return { fields: {}, body: plain.trim() };
  const fields = frontmatter(found[1] ?? "", yaml);
  return { fields, body: plain.slice(found[0].length).trim() };
}

function frontmatter(text: string, yaml: Yaml): JsonObject {
  let data: unknown;
  try {
    data = yaml.parse(text, { maxAliasCount: maxAliases });
  } catch (error) {
    const [line] = String(error instanceof Error ? error.message : error).split("\n");
    throw new BrokenSkill(`its frontmatter is no YAML: ${line}`);
  }
  if (data === null || data === undefined) return {};
  if (typeof data !== "object" || Array.isArray(data))
    throw new BrokenSkill("its frontmatter must be `name: value` lines");
  if (containsItself(data))
    throw new BrokenSkill("its frontmatter has an alias inside of what it names: it would contain itself");
  // Dates and the like become their text.
  const plain = JSON.parse(JSON.stringify(data)) as { readonly [key: string]: Json };
  const pairs = Object.entries(plain).map(([key, value]): [string, Json] => {
    const name = key.replaceAll("-", "_");
    return [name, isListField(name) && typeof value === "string" ? listOf(value) : value];
  });
  return Object.fromEntries(pairs);
}

const listOf = (text: string): string[] =>
  text
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "");
