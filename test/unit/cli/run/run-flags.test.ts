/** Plain invocations of `harn run` are read without commander: the same way as commander would, or not at all. */
import { Command } from "commander";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Command as Row } from "../../../../src/cli/commands/command.ts";
import { running } from "../../../../src/cli/commands/running.ts";
import { described } from "../../../../src/cli/commands/tree.ts";
import { type Flag, flagName } from "../../../../src/host/command/flags.ts";
import { plainRunArguments, type RunFlags, runFlags } from "../../../../src/run/setup/run-flags.ts";

interface Read {
  readonly file: string | undefined;
  readonly flags: RunFlags;
}

/** What commander makes of them; `undefined` when it refuses or does something else, such as help. */
function byCommander(args: readonly string[]): Read | undefined {
  let read: Read | undefined;
  const run = described(new Command("run"), running.find(({ name }) => name === "run") as Row)
    .exitOverride()
    .configureOutput({ writeOut: () => {}, writeErr: () => {} })
    .action((file: string | undefined, flags: RunFlags) => {
      read = { file, flags };
    });
  try {
    run.parse(args, { from: "user" });
  } catch {
    return undefined;
  }
  return read;
}

const word = fc.constantFrom(
  ...Object.entries<Flag>(runFlags).flatMap(([key, { short, off }]) => [
    flagName(key),
    `${flagName(key)}=7`,
    ...(short === undefined ? [] : [short]),
    ...(off === undefined ? [] : [`--no-${key}`]),
  ]),
  "-",
  "--",
  "--help",
  "-h",
  "-qe",
  "-ecode",
  "--nope",
  "--seed=",
  "--quiet=no",
  "a.harn",
  "b.harn",
  "3",
  "-1",
  "",
);

describe("arguments of harn run", () => {
  it("are read as commander reads them, or left to it", () => {
    let plain = 0;
    fc.assert(
      fc.property(fc.array(word, { maxLength: 6 }), (args) => {
        const own = args.includes("--") ? args.slice(0, args.indexOf("--")) : args;
        let read: Read | undefined;
        try {
          read = plainRunArguments(own);
        } catch {
          // A value that its flag refuses: commander's parser of the same flag refuses it too.
          expect(byCommander(own)).toBeUndefined();
          return;
        }
        if (read === undefined) return;
        plain++;
        expect(byCommander(own)).toEqual(read);
      }),
      { numRuns: 3000 },
    );
    expect(plain).toBeGreaterThan(300);
  });

  it.each<[string[], Read]>([
    [["a.harn"], { file: "a.harn", flags: {} }],
    [["-"], { file: "-", flags: {} }],
    [["-e", "log(1)"], { file: undefined, flags: { eval: "log(1)" } }],
    [["--seed=a=b", "a.harn", "-q"], { file: "a.harn", flags: { seed: "a=b", quiet: true } }],
    [
      ["--record", "j", "--max-depth", "5", "a.harn"],
      { file: "a.harn", flags: { record: "j", maxDepth: 5 } },
    ],
  ])("plain: %j", (args, read) => {
    expect(plainRunArguments(args)).toEqual(read);
  });

  it.each([
    [["--help"]],
    [["a.harn", "b.harn"]],
    [["--bogus"]],
    [["-qe", "1"]],
    [["--seed"]],
    [["--record", "--quiet"]],
    [["--quiet=yes"]],
  ])("left to commander: %j", (args) => {
    expect(plainRunArguments(args)).toBeUndefined();
  });

  it("a value that is no count is a mistake in words", () => {
    expect(() => plainRunArguments(["--max-depth", "0", "a.harn"])).toThrow(
      "--max-depth: expected a whole number from 1 on, got 0",
    );
  });
});
