/** Commands for people who write scripts: checking, formatting, testing, looking up. */
import { modelFlags } from "../../run/setup/index.ts";
import type { ShellName } from "../completions/shells.ts";
import { benchFlags, checkFlags, docFlags, fmtFlags, lintFlags, testFlags } from "../flags/checking.ts";
import { type Command, command } from "./command.ts";

export const checking: readonly Command[] = [
  command({
    name: "check",
    summary: "Reports syntax, name and type errors without running anything.",
    args: [["<files...>", "scripts or folders"]],
    flags: checkFlags,
    readme: [["`harn check FILE…`", "reports syntax, name, type and lint findings without running"]],
    examples: ["harn check --strict-types src"],
    run: async ([files], flags) => (await import("../check/check-command.ts")).checkCommand(files, flags),
  }),
  command({
    name: "explain",
    summary: "Explains a diagnostic code such as HARN-PAR-001.",
    args: [["[code]", "the code; without one, all codes are listed"]],
    readme: [["`harn explain CODE`", "what a diagnostic such as `HARN-PAR-001` means and what to do"]],
    examples: ["harn explain HARN-PAR-001"],
    run: async ([code]) => (await import("../check/doc-command.ts")).explainCommand(code),
  }),
  command({
    name: "fmt",
    summary: "Formats scripts in place; `-` formats standard input to standard output.",
    args: [["<files...>", "scripts or folders, or `-`"]],
    flags: fmtFlags,
    readme: [
      [
        "`harn fmt FILE…`",
        "formats scripts in place (`-`: standard input); `--check` only says what would change",
      ],
    ],
    examples: ["harn fmt --check src"],
    run: async ([files], flags) => (await import("../check/fmt-command.ts")).fmtCommand(files, flags),
  }),
  command({
    name: "lint",
    summary: "Reports what is legal but questionable; exits with 1 when a finding is an error.",
    args: [["[files...]", "scripts or folders"]],
    flags: lintFlags,
    readme: [
      [
        "`harn lint FILE…`",
        "reports questionable code; `--fix` repairs, `--rules` lists the rules, `[lint]` of `harn.toml` chooses",
      ],
    ],
    examples: ["harn lint --fix main.harn"],
    run: async ([files], flags) => (await import("../check/lint-command.ts")).lintCommand(files, flags),
  }),
  command({
    name: "test",
    summary:
      "Runs tests: pipelines named test_… or marked @test, and programs with an .expected or .error file.",
    args: [["[paths...]", "files or folders; the current folder when none is named"]],
    flags: testFlags,
    readme: [
      [
        "`harn test [PATH…]`",
        "runs tests: `test_…` pipelines and programs with an `.expected` or `.error` file; see `docs/testing.md`",
      ],
    ],
    examples: ["harn test --parallel --junit results.xml tests"],
    run: async ([paths], flags) => (await import("../test/test-command.ts")).testCommand(paths, flags),
  }),
  command({
    name: "test-worker",
    summary: "",
    hidden: true,
    run: async () => (await import("../../tools/local/index.ts")).testWorkerCommand(),
  }),
  command({
    name: "bench",
    summary: "Measures how long a script takes: minimum, median and spread in one warm process.",
    args: [["<file>", "the script; what it does outside it does each time"]],
    flags: benchFlags,
    readme: [
      [
        "`harn bench FILE`",
        "how long a script takes: minimum, median, spread in one warm process; `-n COUNT`, `--compare OTHER`, `--json`",
      ],
    ],
    examples: ["harn bench -n 50 sort.harn --compare other.harn"],
    run: async ([file], flags, { script }) =>
      (await import("../bench/bench-command.ts")).benchCommand(file, script, flags),
  }),
  command({
    name: "repl",
    summary: "Evaluates what is typed, line by line; :help shows its commands.",
    flags: {
      ...modelFlags,
    },
    readme: [["`harn repl`", "evaluates what is typed; `:help` shows its commands"]],
    examples: ["harn repl --llm-mock answers.jsonl"],
    run: async (_args, flags) => (await import("../repl/repl-command.ts")).replCommand(flags),
  }),
  command({
    name: "doc",
    summary: "Shows what a builtin, a word of the language, an option, an area or a module is for.",
    args: [
      [
        "[name]",
        "such as `len`, `match`, `agent_loop.budget`, `strings`, `std/hitl`; `std` lists the modules",
      ],
    ],
    flags: docFlags,
    readme: [
      [
        "`harn doc NAME`",
        "what a builtin, a word of the language, an option or a module is for; `--search WORDS` finds them",
      ],
    ],
    examples: ["harn doc agent_loop.budget", "harn doc --search retry"],
    run: async ([name], flags) => (await import("../check/doc-command.ts")).docCommand(name, flags),
  }),
  command({
    name: "completions",
    summary:
      'Prints completions for a shell: `eval "$(harn completions bash)"` in ~/.bashrc; zsh alike; `harn completions fish | source`.',
    args: [["<shell>", "bash, zsh or fish", { choices: ["bash", "zsh", "fish"] }]],
    readme: [
      [
        "`harn completions SHELL`",
        'completions for bash, zsh or fish: `eval "$(harn completions bash)"` in `~/.bashrc`',
      ],
    ],
    examples: ['eval "$(harn completions bash)"'],
    run: async ([shell], _flags, { program }) =>
      (await import("../completions/completions-text.ts")).completionsCommand(shell as ShellName, program),
  }),
];
