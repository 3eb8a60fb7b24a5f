/** Functions that the reference names exist: in the table, in a module of `std/`, as a method, or as something that a caller passes. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { builtinTable } from "../../../src/builtins/index.ts";
import { catalogue } from "../../../src/diagnostics/index.ts";
import { optionPaths } from "../../../src/tools/doc/index.ts";
import { docPages } from "../../support/doc-pages.ts";
import { projectRoot } from "../../support/project.ts";

/** Callbacks that a caller passes, tools of the runtime, attributes, examples: written like calls, but no functions. */
const otherNames = new Set(
  (
    "compress_callback mask_callback ranker_callback post_turn_callback context_callback message_decorator " +
    "verify_completion loop_control tool_caller on_user_input on_model_turn wait_for_user set_config " +
    "subagent_pause subagent_resume subagent_stop acp_tool acp_skill read_it"
  ).split(" "),
);

/** Methods of built-in types, as language.md §22 lists them. */
function methods(): Set<string> {
  const page = readFileSync(join(projectRoot, "docs/reference/language.md"), "utf8");
  const section = page.slice(page.indexOf("## 22. Methods"), page.indexOf("## 23. Core"));
  return new Set([...section.matchAll(/(?<![.\w])([a-z_]+)(?=[(`])/g)].map((match) => match[1]!));
}

function moduleFunctions(): Set<string> {
  const files = readdirSync(join(projectRoot, "stdlib"), { recursive: true, encoding: "utf8" });
  const texts = files
    .filter((file) => file.endsWith(".harn"))
    .map((file) => readFileSync(join(projectRoot, "stdlib", file), "utf8"));
  return new Set(texts.flatMap((text) => [...text.matchAll(/\bfn (\w+)/g)].map((match) => match[1]!)));
}

it("the options on the page of options exist", () => {
  const page = readFileSync(join(projectRoot, "docs/guides/agent-options.md"), "utf8");
  const options = [...page.matchAll(/^\| [^|]+ \| `(\w+)` \|/gm)].map((match) => match[1] as string);
  expect(options).toHaveLength(20);
  const known = optionPaths(builtinTable().get("agent_loop")!);
  expect(options.filter((name) => !known.includes(name))).toEqual([]);
});

describe("functions that the reference names", () => {
  const known = new Set([...builtinTable().keys(), ...moduleFunctions(), ...methods(), ...otherNames]);

  for (const page of ["language", "builtins", "agents"]) {
    it(`of ${page}.md exist`, () => {
      const lines = readFileSync(join(projectRoot, `docs/reference/${page}.md`), "utf8").split("\n");
      const missing = lines.flatMap((line, index) =>
        [...line.matchAll(/``(.*?)``|`([^`]*)`/g)]
          .flatMap((code) => [
            ...(code[1] ?? code[2]!).matchAll(/(?<![.\w:"$])([a-z][a-z0-9]*_[a-z0-9_]+)\(/g),
          ])
          .map((call) => call[1]!)
          .filter((name) => !known.has(name))
          .map((name) => `${name} (docs/reference/${page}.md:${index + 1})`),
      );
      expect(missing).toEqual([]);
    });
  }
});

describe("codes that the documentation names", () => {
  it("are in the catalogue", () => {
    // The decisions also speak of codes that were left out.
    const pages = docPages().filter((page) => !page.startsWith("docs/decisions/"));
    const missing = pages.flatMap((page) =>
      [...readFileSync(join(projectRoot, page), "utf8").matchAll(/\bHARN-[A-Z]{3}-\d{3}\b/g)]
        .map((code) => code[0])
        .filter((code) => !Object.hasOwn(catalogue, code))
        .map((code) => `${page}: ${code}`),
    );
    expect(missing).toEqual([]);
  });
});
