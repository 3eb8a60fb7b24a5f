/**
 * `llm_stream` and `llm_stream_call` (agents.md §1.10): the text of an answer while it arrives.
 *
 * Each piece that a script pulls is an effect of its own on the stream's path, so a replay gives the same pieces in the
 * same order among everything else that happens. The call itself runs in a child task; it is begun by the first pull
 * and ended when nobody wants more.
 */
import { shape } from "../../effects/index.ts";
import { childTask, Interruption, type Task } from "../../interp/index.ts";
import { Dict, type MaybePromise, Pullable, type PulledValue, type Value } from "../../values/index.ts";
import type { ModelMessage, ModelRequest, ModelResponse } from "../llm/index.ts";
import {
  type CallPlan,
  callOverRoutes,
  type ModelCallResult,
  modelCall,
  planCall,
  requestOf,
} from "../model-call/index.ts";
import { callError } from "./llm-call.ts";
import { modelResponseDict, parsedAnswer, structuredText } from "./response-dict.ts";
import { inspectorOf } from "./schema-prefix.ts";
import { parsedStructured } from "./structured.ts";

/** What is asked. */
export interface StreamedCall {
  readonly plan: CallPlan;
  readonly options: Dict;
  readonly messages: ModelMessage[];
  readonly system: string | null;
}

export class LlmStream extends Pullable {
  override readonly type = "stream";
  private readonly owner: Task;
  private readonly asked: StreamedCall;
  /** Those of the route that answered, once there is an answer. */
  protected plan: CallPlan;
  protected request: ModelRequest;
  private child: Task | undefined;
  private result: Promise<ModelCallResult> | undefined;
  private readonly arrived: string[] = [];
  private ended = false;
  private over = false;
  private wake: (() => void) | undefined;

  constructor(owner: Task, asked: StreamedCall) {
    super();
    this.owner = owner;
    this.asked = asked;
    this.plan = asked.plan;
    this.request = requestOf(asked.plan, asked);
  }

  display(): string {
    return this.over ? "<stream (done)>" : "<stream>";
  }

  next(task: Task): MaybePromise<PulledValue> {
    if (this.over) return undefined;
    return this.pull(task, this.begin());
  }

  private async pull(task: Task, child: Task): Promise<PulledValue> {
    const outer = task.scope;
    // Counted on the stream's path whoever pulls, waited for by the one who does.
    task.scope = child.scope;
    let piece: MaybePromise<string | null>;
    try {
      piece = task.perform<string | null>({
        effect: "observe",
        kind: "llm.piece",
        args: () => null,
        run: () => this.piece(),
        result: shape.orNull(shape.text),
      });
    } finally {
      task.scope = outer;
    }
    const text = await piece;
    return text === null ? await this.finish(task) : this.shown(text);
  }

  /** A piece as scripts see it. */
  protected shown(text: string): Value {
    return text;
  }

  /** What comes after the last piece. */
  protected ending(_task: Task, _response: ModelResponse): PulledValue {
    return undefined;
  }

  override close(): void {
    this.over = true;
    if (this.child !== undefined && !this.ended) this.child.abort(new Interruption("cancelled"));
  }

  private begin(): Task {
    if (this.child !== undefined) return this.child;
    const child = childTask(this.owner, `${this.owner.id}:llm_stream`, false);
    this.child = child;
    // Pieces are counted on a path of their own: those of the call stay its own.
    const calling = childTask(child, `${child.id}:call`, true);
    this.result = this.call(calling);
    const done = (): void => {
      this.ended = true;
      calling.end();
      child.end();
      this.wake?.();
    };
    this.result.then(done, done);
    return child;
  }

  private async call(task: Task): Promise<ModelCallResult> {
    const { asked } = this;
    let shown = false;
    const { result } = await callOverRoutes(task, {
      plan: this.plan,
      options: asked.options,
      replan: (options) => planCall(task, options, { caller: "llm_stream" }),
      ask: asked,
      sessionId: "",
      // What was pulled can't be taken back: the stream ends with the error.
      mayFallBack: () => !shown,
      call: (plan) => {
        this.plan = plan;
        this.request = requestOf(plan, asked);
        return modelCall(task, this.request, {
          retries: plan.retries,
          backoffMs: plan.backoffMs,
          mayRepeat: () => !shown,
          inspector: inspectorOf(task, plan),
          ...(plan.budget === undefined ? {} : { budget: plan.budget }),
          onEvent: (event) => {
            if (event.kind !== "text") return;
            shown = true;
            this.add(event.delta);
          },
        });
      },
    });
    return result;
  }

  private add(text: string): void {
    this.arrived.push(text);
    this.wake?.();
  }

  /** The next piece, or null at the end. */
  private async piece(): Promise<string | null> {
    while (this.arrived.length === 0 && !this.ended) {
      await new Promise<void>((resolve) => {
        this.wake = resolve;
      });
      this.wake = undefined;
    }
    return this.arrived.shift() ?? null;
  }

  private async finish(task: Task): Promise<PulledValue> {
    this.over = true;
    const result = await (this.result as Promise<ModelCallResult>);
    if (!result.ok) throw callError(result.error, result.budget);
    return this.ending(task, result.response);
  }
}

/** `llm_stream_call`: the pieces as events, and after them the whole result. */
export class LlmCallStream extends LlmStream {
  protected override shown(text: string): Value {
    return Dict.of({ type: "text", text });
  }

  protected override ending(task: Task, response: ModelResponse): PulledValue {
    const { plan, request } = this;
    const answer = parsedAnswer(response, plan.tools, plan.toolFormat);
    const structured = plan.wantsJson
      ? parsedStructured(task, plan, structuredText(answer), response.strict_nulls)
      : null;
    const data = structured === null || structured.missing ? undefined : structured.data;
    return modelResponseDict(task, answer, { request, data }).with("type", "done");
  }
}
