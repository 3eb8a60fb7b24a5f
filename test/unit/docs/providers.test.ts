/** docs/providers.md names every provider, every variable of the environment and every section of `harn.toml`. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { manifestFields } from "../../../src/manifest/manifest-fields.ts";
import { builtinProviders } from "../../../src/model/llm/catalogue/providers.ts";
import { projectRoot } from "../../support/project.ts";

const page = readFileSync(join(projectRoot, "docs/providers.md"), "utf8");

/** Of the build, of processes that the program starts itself, of placeholders in skill bodies, and of examples. */
const notForUsers =
  /^HARN_(SYNTAX_DIGEST|CHECKER_DIGEST|LIBRARIES|BUILTIN_NAMES|POOL_CHILD|PROCESS_TREE|TEST_WORKER|SESSION|SESSION_ID|SKILL_DIR|SURELY_NOT_SET|SECRET_GITHUB_TOKEN|RATE_LIMIT_OPENAI)$/;

function variablesOfSources(): string[] {
  const texts = ["src", "stdlib"].flatMap((folder) =>
    readdirSync(join(projectRoot, folder), { recursive: true, encoding: "utf8" })
      .filter((file) => /\.(ts|harn)$/.test(file))
      .map((file) => readFileSync(join(projectRoot, folder, file), "utf8")),
  );
  const names = texts.flatMap((text) =>
    [...text.matchAll(/\bHARN_[A-Z0-9_]*[A-Z0-9]\b/g)].map((match) => match[0]),
  );
  return [...new Set(names)].filter((name) => !notForUsers.test(name)).sort();
}

describe("docs/providers.md", () => {
  it("names every provider", () => {
    const missing = builtinProviders().filter(({ name }) => !page.includes(`\`${name}\``));
    expect(missing.map(({ name }) => name)).toEqual([]);
  });

  it("names every variable that holds a key", () => {
    const usual = ({ name, auth_env }: { name: string; auth_env: string[] }): boolean =>
      auth_env.length === 1 &&
      auth_env[0] === `${name.toUpperCase()}_API_KEY` &&
      page.includes("`NAME_API_KEY`");
    const missing = builtinProviders()
      .filter((row) => row.protocol !== "none" && !usual(row))
      .flatMap(({ auth_env }) => auth_env)
      .filter((name) => !page.includes(name));
    expect(missing).toEqual([]);
  });

  it("names every variable HARN_… that the program reads", () => {
    const names = variablesOfSources();
    expect(names.length).toBeGreaterThan(15);
    expect(names.filter((name) => !page.includes(name))).toEqual([]);
  });

  it("names every section of harn.toml", () => {
    const names = [...manifestFields.names()];
    expect(names.length).toBeGreaterThan(8);
    expect(names.filter((name) => !new RegExp(`\\[${name}[\\].]`).test(page))).toEqual([]);
  });
});
