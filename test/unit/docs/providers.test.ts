/** docs/providers.md names every provider and what holds its key. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { builtinProviders } from "../../../src/model/llm/catalogue/providers.ts";
import { projectRoot } from "../../support/project.ts";

const page = readFileSync(join(projectRoot, "docs/providers.md"), "utf8");

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
});
