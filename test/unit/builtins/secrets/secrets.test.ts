/** Secrets reach the program and never a journal; passwords are typed unseen. */
import { describe, expect, it } from "vitest";
import { HiddenLine } from "../../../../src/host/node/stdin-lines.ts";
import { createMemoryHost } from "../../../support/memory-host.ts";
import { recordAndReplayScript } from "../../../support/replay-script.ts";
import { runScript } from "../../../support/run-script.ts";

const tty = ["stdin", "stdout", "stderr"] as const;

describe("secrets of the environment", () => {
  it("are found under their two names, the longer first", async () => {
    const env = { GITHUB_TOKEN: "plain-token", HARN_SECRET_NPM_TOKEN: "long-token", NPM_TOKEN: "other" };
    const ran = await runScript(
      `println([harness.secrets.read("github/token"), harness.secrets.read("npm/token"), harness.secrets.read("npm")])`,
      { runtime: { host: createMemoryHost({ env }) } },
    );
    expect(ran.stdout).toBe("[plain-token, long-token, nil]\n");
  });

  it("are in no journal, wherever they go", async () => {
    const env = { DEMO_SETTING: "value-of-demo" };
    const both = await recordAndReplayScript(
      `let secret = harness.secrets.read("demo/setting")
       write_file("/work/out.txt", "key=\${secret}")
       println(len(read_file("/work/out.txt")))
       harness.secrets.write("own/key", "written-by-program")
       write_file("/work/two.txt", "written-by-program")
       harness.secrets.rotate("own/key")
       write_file("/work/three.txt", harness.secrets.read("own/key"))
       println(harness.secrets.read("own/key").starts_with("{{secret:"))`,
      createMemoryHost({ env }),
    );
    const journal = JSON.stringify(both.journal);
    expect(both.recorded.error).toBe("");
    expect(both.recorded.stdout).toBe("17\nfalse\n");
    expect(journal).toContain("{{secret:DEMO_SETTING}}");
    expect(journal).not.toContain("value-of-demo");
    // The source text is the user's own; what is asked of files is not in it.
    expect(journal.split("written-by-program").length - 1).toBe(0);
  });
});

it("a rotated secret is 256 random bits unless it is given", async () => {
  const ran = await runScript(`harness.secrets.rotate("a/b")
    println(regex_match("^[0-9a-f]{64}$", harness.secrets.read("a/b")) != nil)`);
  expect(ran.stdout).toBe("true\n");
});

describe("a password", () => {
  it("is asked for on standard error and read like a line", async () => {
    const ran = await runScript(`println(len(harness.term.read_password("Password: ")))`, {
      runtime: { host: createMemoryHost({ stdin: "hunter2\nrest\n", tty }) },
    });
    expect(ran.stderr).toBe("Password: \n");
    expect(ran.stdout).toBe("7\n");
  });

  it("is a line of a mocked input, also on replay, and nothing else is read meanwhile", async () => {
    const both = await recordAndReplayScript(
      `mock_stdin("hidden one\\nnext\\n")
       println(len(read_password("? ")))
       println([read_line(), read_stdin(), prompt_user()])
       unmock_stdin()
       println(read_line())`,
      createMemoryHost({ stdin: "real\n" }),
    );
    expect(both.recorded.error).toBe("");
    expect(both.recorded.stdout).toBe("10\n[next, , ]\nreal\n");
    expect(JSON.stringify(both.journal)).not.toContain("hidden one");
    expect(both.replayed.stdout).toBe(both.recorded.stdout);
  });

  it("is nil at the end of input", async () => {
    expect((await runScript(`println(read_password())`)).stdout).toBe("nil\n");
  });

  it("leaves a placeholder in the journal, however short it is", async () => {
    const both = await recordAndReplayScript(
      `let password = read_password("? ")
       println(password == nil)
       write_file("/work/x.txt", "user:\${password}")`,
      createMemoryHost({ stdin: "correct horse\n" }),
    );
    expect(both.recorded.error).toBe("");
    expect(JSON.stringify(both.journal)).not.toContain("correct horse");
    expect(both.replayed.stdout).toBe("false\n");
    const short = await recordAndReplayScript(
      `println(read_password() == nil)`,
      createMemoryHost({ stdin: "abc\n" }),
    );
    expect(JSON.stringify(short.journal)).toContain("{{secret:PASSWORD_1}}");
    expect(short.replayed.stdout).toBe("false\n");
  });
});

describe("keys of a hidden line", () => {
  const typed = (keys: string) => {
    const line = new HiddenLine();
    const left = line.take(keys);
    return [line.over, line.result, left];
  };
  it.each([
    ["abc\r", [true, "abc", ""]],
    ["abc", [false, undefined, ""]],
    ["äb\u007f\b𝒳\n", [true, "𝒳", ""]],
    ["\u007f\u007fa\r", [true, "a", ""]],
    ["abc\u0015d\rnext", [true, "d", "next"]],
    ["\u0004", [true, undefined, ""]],
    ["ab\u0004", [true, "ab", ""]],
    ["a\u001b\tb\r", [true, "ab", ""]],
  ])("%j", (keys, expected) => {
    expect(typed(keys)).toEqual(expected);
  });
});
