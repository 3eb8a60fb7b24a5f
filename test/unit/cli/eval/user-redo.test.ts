/** `on_user_fault: "redo"`: a trial whose simulated user failed is made again with another user (docs/evals.md). */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { harnHere } from "../../../support/harn-here.ts";
import { tempFolders } from "../../../support/temp-folder.ts";

const fresh = tempFolders("eval-user-redo");

/** A user that leaves though it was asked something fails; who it is, its own stream says. */
const script = (rule: string): string => `import "std/eval"
llm_mock({match: "*order*", text: "Which one?"})
llm_mock({match: "*Hello*", text: "Sure."})
eval_pack talk {
  dataset: [{id: "a"}, {id: "b"}, {id: "c"}, {id: "d"}]
  user: { _sample -> as_role("user", { -> random() }) < 0.6 ? scripted_user(["My order?"]) : scripted_user(["Hello"]) }
  solver: { _sample, trial -> dialogue(trial.user, "Help.") }
  scorers: [no_error()]
  roles: {agent: {provider: "mock"}}
  on_user_fault: ${rule}
  seed: 3
}
`;

interface Figures {
  readonly tasks: { readonly talk: { readonly user_faults: number; readonly redone: number } };
  readonly receipt: string;
}

it("trials are made again, which reports count and a replay follows", async () => {
  const cwd = fresh();
  const figures = async (rule: string): Promise<Figures> => {
    writeFileSync(join(cwd, "u.eval.harn"), script(rule));
    const { stdout, status } = await harnHere(["eval", "run", "u.eval.harn", "--quiet", "--json"], { cwd });
    expect(status).toBe(0);
    return JSON.parse(stdout) as Figures;
  };
  const kept = (await figures('"keep"')).tasks.talk;
  expect(kept).toMatchObject({ user_faults: 2, redone: 0 });
  const once = (await figures("{redo: 1}")).tasks.talk;
  expect(once.redone).toBe(2);
  const twice = await figures('"redo"');
  expect(twice.tasks.talk.user_faults).toBeLessThan(kept.user_faults);
  expect(twice.tasks.talk.redone).toBeGreaterThanOrEqual(2);
  expect((await harnHere(["eval", "show", "last"], { cwd })).stdout).toMatch(
    /attempts given up for the user/,
  );
  expect((await harnHere(["eval", "show", "last:a.1"], { cwd })).stdout).toContain(
    "fault of the user: redone (minor): early_stop",
  );
  const replayed = await harnHere(["eval", "replay", "last"], { cwd });
  expect(replayed).toMatchObject({ status: 0 });
  expect(replayed.stdout).toContain(twice.receipt);
});
