/** `harn doc`: from the one table of builtins. */
import { describe, expect, it } from "vitest";
import { harn } from "../../support/run-cli.ts";

describe("harn doc", () => {
  it("shows signature, text, effect and example", () => {
    const { stdout, status } = harn(["doc", "len"]);
    expect(stdout).toMatch(
      /^len\(value: any\) -> int\n\n.+\n\narea: conversion\neffect: pure\n\nexample:\n {2}len\(.+\n$/s,
    );
    expect(status).toBe(0);
    expect(harn(["doc", "write_file"]).stdout).toContain(
      "effect: write (changes something outside, recorded before and after)",
    );
  });

  it("takes a name as people copy it", () => {
    expect(harn(["doc", "len()"]).stdout).toBe(harn(["doc", "len"]).stdout);
  });

  it("lists an area", () => {
    const { stdout } = harn(["doc", "assertions"]);
    expect(stdout).toMatch(/^assertions: \d+ builtins\n\nassert\(condition: any/);
  });

  it("suggests near names", () => {
    const typo = harn(["doc", "lenn"]);
    expect(typo).toMatchObject({ stdout: "", status: 1 });
    expect(typo.stderr).toBe("harn: there is no builtin `lenn`; did you mean `len`?\n");
    expect(harn(["doc", "json_pars"]).stderr).toContain("`json_parse`");
    expect(harn(["doc", "qqqqqqqq"]).stderr).toContain("`harn doc --all` shows all of them");
  });

  it("shows modules of the standard library, and functions that only they have", () => {
    const module = harn(["doc", "std/waitpoint"]).stdout;
    expect(module).toMatch(/^std\/waitpoint: waiting for somebody/);
    expect(module).toContain("\nfn wait(waitpoint, options = nil)\n    The record of a waitpoint");
    expect(harn(["doc", "memory_recall"]).stdout).toMatch(
      /^fn memory_recall\(.+\)\n\n.+\n\nmodule: import \{ memory_recall \} from "std\/memory"\n$/s,
    );
    expect(harn(["doc", "std"]).stdout).toContain("\nstd/hitl\n    people in the loop.\n");
    expect(harn(["doc", "std/../x"])).toMatchObject({
      status: 1,
      stderr: "harn: there is no module `std/../x`; `harn doc std` shows all of them\n",
    });
  });

  it("prints the reference page", () => {
    const page = harn(["doc", "--all"]).stdout;
    expect(page).toContain("# Builtin functions");
    for (const name of ["println", "len", "agent_loop"])
      expect(page).toContain(`### ${name}\n\n\`\`\`harn\n${name}(`);
  });

  it("wants a name or --all, not both and not neither", () => {
    expect(harn(["doc"])).toMatchObject({ status: 2 });
    expect(harn(["doc", "len", "--all"])).toMatchObject({ status: 2 });
  });
});
