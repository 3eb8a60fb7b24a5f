/**
 * A process that runs a set or goes on with one, for tests that kill it: `node eval-runner.ts run|resume JSON`. Its last line of
 * standard output is how the set ended, as JSON.
 */
import { evaluate, replayEvaluation, resumeEvaluation } from "../../src/eval/local/evaluate.ts";
import { compiled } from "./compiled-sources.ts";

compiled();
const [what = "", text = "{}"] = process.argv.slice(2);
const input = JSON.parse(text) as Record<string, unknown>;

if (what === "replay") {
  process.stdout.write(`\n${JSON.stringify(await replayEvaluation(String(input.set)))}\n`);
  process.exit(0);
}

const base = { args: [], flags: {}, params: {}, choice: {} };
const done =
  what === "resume"
    ? await resumeEvaluation({ flags: {}, set: "last", ...input })
    : await evaluate({ ...base, file: "", ...input });

const said =
  done.kind === "no set"
    ? { kind: done.kind, exitCode: done.exitCode }
    : {
        kind: done.kind,
        state: done.end.state,
        why: done.end.why,
        exitCode: done.end.exitCode,
        name: done.end.set.name,
        receipt: done.end.set.receipt,
        trials: done.store
          .trials(done.end.set.id)
          .map(({ state, cost, doubtful, attempts, error, category, input_tokens, output_tokens }) => ({
            state,
            cost,
            doubtful,
            tokens: input_tokens + output_tokens,
            attempts,
            error,
            category,
          })),
      };
process.stdout.write(`\n${JSON.stringify(said)}\n`);
