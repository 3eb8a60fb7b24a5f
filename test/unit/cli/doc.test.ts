/** `harn doc`: from the one table of builtins. */
import { describe, expect, it } from "vitest";
import { harnHere } from "../../support/harn-here.ts";

describe("harn doc", () => {
  it("shows signature, text, effect and example", async () => {
    const { stdout, status } = await harnHere(["doc", "len"]);
    expect(stdout).toMatch(
      /^len\(value: any\) -> int\n\n.+\n\narea: conversion\neffect: pure\n\nexample:\n {2}len\(.+\n$/s,
    );
    expect(status).toBe(0);
    expect((await harnHere(["doc", "write_file"])).stdout).toContain(
      "effect: write (changes something outside, recorded before and after)",
    );
  });

  it("takes a name as people copy it", async () => {
    expect((await harnHere(["doc", "len()"])).stdout).toBe((await harnHere(["doc", "len"])).stdout);
  });

  it("lists an area", async () => {
    const { stdout } = await harnHere(["doc", "assertions"]);
    expect(stdout).toMatch(/^assertions: \d+ builtins\n\nassert\(condition: any/);
  });

  it("suggests near names", async () => {
    const typo = await harnHere(["doc", "lenn"]);
    expect(typo).toMatchObject({ stdout: "", status: 1 });
    expect(typo.stderr).toBe("harn: there is no builtin `lenn`; did you mean `len`? (HARN-CLI-008)\n");
    expect((await harnHere(["doc", "json_pars"])).stderr).toContain("`json_parse`");
    expect((await harnHere(["doc", "qqqqqqqq"])).stderr).toContain(
      "`harn doc --search WORDS` looks through all texts",
    );
  });

  it("shows modules of the standard library, and functions that only they have", async () => {
    const module = (await harnHere(["doc", "std/waitpoint"])).stdout;
    expect(module).toMatch(/^std\/waitpoint: waiting for somebody/);
    expect(module).toContain("\nfn wait(waitpoint, options = nil)\n    The record of a waitpoint");
    expect((await harnHere(["doc", "memory_recall"])).stdout).toMatch(
      /^fn memory_recall\(.+\)\n\n.+\n\nmodule: import \{ memory_recall \} from "std\/memory"\n/s,
    );
    expect((await harnHere(["doc", "std"])).stdout).toContain("\nstd/hitl\n    people in the loop.\n");
    expect(await harnHere(["doc", "std/../x"])).toMatchObject({
      status: 1,
      stderr: "harn: there is no module `std/../x`; `harn doc std` shows all of them (HARN-CLI-008)\n",
    });
  });

  it("tells of the words of the language", async () => {
    const text = (await harnHere(["doc", "parallel"])).stdout;
    expect(text).toMatch(/^parallel each LIST with \{ max_concurrent: N \} \{ x -> … \}\n/);
    expect(text).toContain("more: docs/reference/language.md, section 13.1\n\nexample:\n");
    expect((await harnHere(["doc", "settle"])).stdout).toBe(text);
    for (const word of ["match", "try", "defer"])
      expect(await harnHere(["doc", word])).toMatchObject({ stderr: "", status: 0 });
  });

  it("shows one option, and those below it", async () => {
    expect((await harnHere(["doc", "agent_loop.budget"])).stdout).toMatch(/^agent_loop, \w+:\n {2}budget: /);
    expect((await harnHere(["doc", "agent_loop.bugdet"])).stderr).toContain(
      "did you mean `agent_loop.budget`?",
    );
  });

  it("searches names and texts of everything, the best first", async () => {
    const { stdout, status } = await harnHere(["doc", "--search", "retry"]);
    expect(status).toBe(0);
    expect(stdout).toMatch(/^retry {2}\(language\)\n {4}Runs a block again when it throws/);
    expect(stdout).toContain("\nwith_retry  (std/llm/handlers)\n");
    expect(stdout).toMatch(/\n… and \d+ more; another word narrows it down\n$/);
    expect(stdout.match(/^\S/gm)).toHaveLength(26);
    expect((await harnHere(["doc", "--search", "llm retries"])).stdout).toMatch(
      /^llm_call\.llm_retries {2}\(option\)\n/,
    );
    expect((await harnHere(["doc", "--search", "people", "in", "the", "loop"])).status).toBe(2);
    expect((await harnHere(["doc", "--search", "people loop"])).stdout).toContain(
      "std/hitl  (module)\n    people in the loop.",
    );
  });

  it("where no entry has all words, those with the most of them are shown, and it is said", async () => {
    const { stdout } = await harnHere(["doc", "--search", "round two decimals"]);
    expect(stdout).toMatch(/^nothing has all of these words; these have most of them:\nround {2}\(math\)\n/);
    expect((await harnHere(["doc", "--search", "format float decimals"])).stdout).toMatch(
      /^format {2}\(strings\)\n/m,
    );
  });

  it("half of the words of a search are not enough", async () => {
    const none = await harnHere(["doc", "--search", "retry qqqqqq"]);
    expect(none).toMatchObject({ stdout: "", status: 1 });
    expect(none.stderr).toMatch(
      /^harn: nothing speaks of `retry qqqqqq`: more than half of the words must stand/,
    );
  });

  it("prints the reference page", async () => {
    const page = (await harnHere(["doc", "--all"])).stdout;
    expect(page).toContain("# Builtin functions");
    for (const name of ["println", "len", "agent_loop"])
      expect(page).toContain(`### ${name}\n\n\`\`\`harn signature\n${name}(`);
  });

  it("wants a name or --all, not both and not neither", async () => {
    expect(await harnHere(["doc"])).toMatchObject({ status: 2 });
    expect(await harnHere(["doc", "len", "--all"])).toMatchObject({ status: 2 });
  });
});
