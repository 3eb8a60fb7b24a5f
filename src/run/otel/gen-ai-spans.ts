/** Events of a run as OpenTelemetry spans: does what `events/projections/spans.ts` says is to be done. */
import {
  type Context,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from "@opentelemetry/api";
import { chatOf, type RunEvent, type SpanStep, spanSteps } from "../../events/index.ts";

interface OtelSpan {
  readonly span: Span;
  /** What begins now begins in it. */
  readonly context: Context;
  /** The loop that it belongs to. */
  readonly loop: string;
}

type SpanStepOf<T extends SpanStep["step"]> = Extract<SpanStep, { step: T }>;

export class GenAiSpans {
  private readonly tracer: Tracer;
  private readonly open = new Map<string, OtelSpan>();

  constructor(tracer: Tracer) {
    this.tracer = tracer;
  }

  add(event: RunEvent): void {
    for (const step of spanSteps(event)) this.take(step, event.loop ?? "");
  }

  /** Ends what the run left open. */
  end(): void {
    for (const [id, { loop }] of [...this.open]) if (id === loop) this.close(loop, "interrupted");
  }

  private take(step: SpanStep, loop: string): void {
    switch (step.step) {
      case "start":
        this.start(step, loop);
        break;
      case "set":
        this.open.get(step.id)?.span.setAttributes({ ...step.attributes });
        break;
      case "note":
        this.firstOpen(step.on)?.span.addEvent(step.name, { ...step.attributes });
        break;
      case "fail":
        failSpan(this.open.get(step.id)?.span, step.type, step.message);
        break;
      case "end":
        this.open.get(step.id)?.span.end();
        this.open.delete(step.id);
        break;
      case "close":
        this.close(step.loop, step.status);
        break;
    }
  }

  private start({ id, within, alone, name, kind, attributes }: SpanStepOf<"start">, loop: string): void {
    const around = this.firstOpen(within);
    if (around === undefined && alone === "skip") return;
    const above = around?.context ?? ROOT_CONTEXT;
    const span = this.tracer.startSpan(
      name,
      { kind: kind === "client" ? SpanKind.CLIENT : SpanKind.INTERNAL, attributes: { ...attributes } },
      above,
    );
    this.open.set(id, { span, context: trace.setSpan(above, span), loop });
  }

  private firstOpen(ids: readonly string[]): OtelSpan | undefined {
    for (const id of ids) {
      const found = this.open.get(id);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /** A loop, and what is open in it. */
  private close(loop: string, status: string): void {
    const found = this.open.get(loop);
    if (found === undefined) return;
    for (const [id, { span, loop: of }] of [...this.open]) {
      if (of !== loop || id === loop) continue;
      failSpan(span, id === chatOf(loop) ? status : "interrupted", null);
      span.end();
      this.open.delete(id);
    }
    found.span.setAttribute("harn.loop.status", status);
    if (failing.has(status)) failSpan(found.span, status, null);
    found.span.end();
    this.open.delete(loop);
  }
}

/** Statuses that are no result of work. */
const failing: ReadonlySet<string> = new Set(["provider_error", "failed", "exception", "interrupted"]);

function failSpan(span: Span | undefined, type: string, message: string | null): void {
  span?.setAttribute("error.type", type);
  span?.setStatus({ code: SpanStatusCode.ERROR, ...(message === null ? {} : { message }) });
}
