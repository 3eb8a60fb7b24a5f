/**
 * What a trial does, as its events and booked calls tell: what of it goes into the outcome, which limit it has met, and which judges
 * grade what their own model said.
 */
import { type RunEvent, runEvents } from "../../events/index.ts";
import { Interruption, type Task } from "../../interp/index.ts";
import type { BookedRoleCall, CallRole, ModelResponse } from "../../model/index.ts";
import { fromJson, jsonParse, ScriptError, type Value } from "../../values/index.ts";
import type { LimitName, TrialLimits } from "../plan/index.ts";
import { errorOfCall, type TrialError } from "./trial-error.ts";

export interface WatchedTool {
  readonly name: string;
  readonly arguments: Value;
  readonly result: Value;
  readonly ok: boolean;
}

interface RoleFigures {
  inputTokens: number;
  outputTokens: number;
  costUsd: number;
  calls: number;
}

export class TrialWatch {
  readonly tools: WatchedTool[] = [];
  readonly usage = new Map<CallRole, RoleFigures>();
  /** Sessions of the agent's loops, in order. */
  readonly sessions: string[] = [];
  /** Models that answered as the agent, as `provider/model`. */
  readonly agentModels = new Set<string>();
  /** The scorer that asks a model now. */
  scorer = "";
  inDoubtUsd = 0;
  turns = 0;
  /** The limit that ended it. */
  limit: LimitName | null = null;
  private toolCalls = 0;
  private readonly outages = new Map<CallRole, TrialError | null>();
  private readonly limits: TrialLimits;
  /** Loops of users and judges. */
  private readonly others = new Set<string>();
  private task: Task | undefined;

  constructor(limits: TrialLimits) {
    this.limits = limits;
  }

  /** From now on; the function that it gives ends that. */
  begin(task: Task): () => void {
    this.task = task;
    const events = task.runtime.state(runEvents);
    return events.subscribe((event) => this.see(event, events.others));
  }

  /** The last call of the agent, or of its user, came to nothing because the provider is out of reach. */
  get outage(): TrialError | null {
    return this.outages.get("agent") ?? this.outages.get("user") ?? null;
  }

  booked({ role, response, error, mocked, inDoubtUsd }: BookedRoleCall): void {
    // What a mock fails with is what its author wants to see.
    if (error === null) this.outages.delete(role);
    else if (!mocked) this.outages.set(role, errorOfCall(role, error));
    this.inDoubtUsd += inDoubtUsd;
    const known = this.usage.get(role) ?? { inputTokens: 0, outputTokens: 0, costUsd: 0, calls: 0 };
    this.usage.set(role, known);
    known.costUsd += (response.cost_usd ?? 0) - inDoubtUsd;
    if (error !== null) return;
    known.inputTokens += response.usage.input_tokens;
    known.outputTokens += response.usage.output_tokens;
    known.calls++;
  }

  /** Of all roles but the judge, whose calls are the set's. */
  get costUsd(): number {
    let sum = 0;
    for (const [role, figures] of this.usage) if (role !== "judge") sum += figures.costUsd;
    return sum;
  }

  tokens(which: "inputTokens" | "outputTokens"): number {
    let sum = 0;
    for (const [role, figures] of this.usage) if (role !== "judge") sum += figures[which];
    return sum;
  }

  /** The trial ends here: nothing that its script catches. */
  end(limit: LimitName): void {
    if (this.limit !== null) return;
    this.limit = limit;
    this.task?.interrupt(new Interruption("cancelled"));
  }

  private see(event: RunEvent, others: ReadonlySet<string>): void {
    if (event.loop !== null && others.has(event.loop)) this.others.add(event.loop);
    if (event.loop !== null && this.others.has(event.loop)) return;
    switch (event.type) {
      case "loop.start":
        if (!this.sessions.includes(event.session)) this.sessions.push(event.session);
        return;
      case "turn.start":
        this.turns++;
        if (this.limits.turns !== null && this.turns > this.limits.turns) this.end("turns");
        return;
      case "tool.end": {
        const { name, arguments: args, result, status } = event.data;
        this.tools.push({ name, arguments: args, result: parsedResult(result), ok: status === "ok" });
        this.toolCalls++;
        if (this.limits.toolCalls !== null && this.toolCalls > this.limits.toolCalls) this.end("tool_calls");
        return;
      }
      default:
    }
  }
}

/** What the model was told, as data where it is JSON. */
function parsedResult(text: string): Value {
  if (!/^[[{]/.test(text)) return text;
  try {
    return jsonParse(text);
  } catch (error) {
    if (error instanceof ScriptError) return text;
    throw error;
  }
}

export const jsonValue = (value: unknown): Value => fromJson(JSON.parse(JSON.stringify(value)) as never);

/** Answers that somebody wrote down have no model whose taste counts. */
const written: ReadonlySet<string> = new Set(["mock", "tape"]);

/** Judges that grade what their own model said: they prefer it. Each is named once. */
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
