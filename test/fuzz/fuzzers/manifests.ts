/** `harn.toml` of projects: everything that reads it, with texts that are no TOML and values of the wrong kind. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse, stringify, type TomlTable } from "smol-toml";
import type { Dice } from "../../support/fuzz-text.ts";
import { projectRoot } from "../../support/project.ts";
import { damageLines, damageText, damageValue } from "../damage.ts";
import type { Fuzzer } from "../fuzzer.ts";
import { bytesOf, harnHere, writeFiles } from "../in-folder.ts";

const base = readFileSync(join(projectRoot, "test/fuzz/base/harn.toml"), "utf8");

/** Some sections, with some of their values changed, or the text itself. */
function manifest(dice: Dice): string {
  const sections = base.split(/\n(?=\[)/).filter(() => dice.below(3) > 0);
  const text = `${sections.join("\n")}\n`;
  switch (dice.below(4)) {
    case 0:
      return damageText(dice, text);
    case 1:
      return damageLines(dice, text.split("\n")).join("\n");
    default:
      return tomlOf(damageValue(dice, parse(text))) ?? damageText(dice, text);
  }
}

/** Nothing when TOML has no words for a value: nil, or a lone surrogate. */
function tomlOf(value: unknown): string | undefined {
  try {
    return stringify(value as TomlTable);
  } catch {
    return undefined;
  }
}

const program = `
fn shown(f) { try { println(f()) } catch e { println("caught: \${e}") } }
let unused = 1
shown({ -> llm_resolve_model("fast") })
shown({ -> llm_model_info("house-small") })
shown({ -> llm_call("Hi", nil, {model: "careful", llm_retries: 0}) })
shown({ -> llm_call("Hi", nil, {provider: "mock"}) })
shown({ -> provider_capabilities("house", "house-small") })
shown({ -> llm_providers() })
shown({ -> mcp_registry_status() })
shown({ -> mcp_ensure_active("files") })
shown({ -> skills_catalog_entries(skill_registry()) })
shown({ -> skill_list(skill_registry()) })
shown({ -> load_skill("acme/one") })
shown({ -> render("@prompts/a.txt", {}) })
shown({ -> project_root() })
shown({ -> runtime_paths() })
shown({ -> agent_loop("Go", nil, {provider: "mock", skills: true}) })
`;

const beside: Readonly<Record<string, string>> = {
  "main.harn": program,
  "hooks.harn": "pub fn check(call) { return nil }\n",
  "card.json": '{"name": "files", "tools": [{"name": "a"}]}',
  "skills/one/SKILL.md": "---\nname: one\ndescription: One.\n---\nBody.\n",
  "prompts/a.txt": "Hello {{ name }}",
};

export const manifests: Fuzzer = {
  name: "manifests",
  make: (dice) => ({ "harn.toml": bytesOf(manifest(dice)) }),
  run: async (input, folder) => {
    writeFiles(folder, { ...beside, "harn.toml": input["harn.toml"]! });
    const main = join(folder, "main.harn");
    await harnHere("run", main);
    await harnHere("check", main);
    await harnHere("lint", main);
    await harnHere("fmt", "--check", main);
    await harnHere("session", "new", "one", "--script", main, "--environment", "staging");
    await harnHere("run", "--resume", "last");
    return "";
  },
};
