/** What a terminal shows of a set while it runs (docs/evals.md). */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { tempFolders } from "../../../support/temp-folder.ts";
import { harnInTerminal, hasTerminals } from "../../../support/terminal.ts";

const fresh = tempFolders("live-view");

it.skipIf(!hasTerminals)(
  `names what is under way before anything has ended, and for how long${hasTerminals ? "" : " (skipped: there is no script of util-linux)"}`,
  async () => {
    const cwd = fresh();
    // The view is drawn once a second.
    const program = `import "std/eval"
eval_task({name: "t", dataset: [{id: "a", target: "y"}], solver: { _sample, _trial -> sleep(2s)
  "y" }, scorers: [includes()]})
`;
    writeFileSync(join(cwd, "t.harn"), program);
    const { text, status } = await harnInTerminal(["eval", "run", "t.harn", "--cost", "2"], {
      cwd,
      prompt: "no question is asked",
      answers: [],
    });
    expect(text).toMatch(
      /t {2}default {2}░{11} {2}0\/1 {2,}\$0\.00\r?\n1 trial · \$0\.00 of \$2\.00\r?\nlongest t\/default\/a\.1 {2}(?:\d+ ms|\d+\.\d s|\d+ s)\r?\n/u,
    );
    expect(text).not.toContain("stalled");
    expect(status).toBe(0);
  },
);
