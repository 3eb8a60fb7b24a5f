/** Judges that grade what their own model said: they prefer it. Each is named once. */
import type { CallRole, ModelResponse } from "../../../model/index.ts";
import type { TrialWatch } from "../trial-watch.ts";

/** Answers that somebody wrote down have no model whose taste counts. */
const written: ReadonlySet<string> = new Set(["mock", "tape"]);

export class OwnJudges {
  private readonly reported = new Set<string>();
  private readonly report: (judge: string) => void;

  constructor(report: (judge: string) => void) {
    this.report = report;
  }

  see(
    role: CallRole,
    watch: TrialWatch,
    { provider, model }: Pick<ModelResponse, "provider" | "model">,
  ): void {
    if (role === "user" || written.has(provider)) return;
    const name = `${provider}/${model}`;
    if (role === "agent") watch.agentModels.add(name);
    else if (watch.agentModels.has(name) && !this.reported.has(watch.scorer)) {
      this.reported.add(watch.scorer);
      this.report(watch.scorer);
    }
  }
}
