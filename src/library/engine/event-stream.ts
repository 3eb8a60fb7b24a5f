/** The events of a run as its program hears them: as a server's log has them, numbered from 1, with names in place of secrets. */
import { type Envelope, envelopeOfEvent, type RunEvent as MadeEvent, runEvents } from "../../events/index.ts";
import { durableEventTypes } from "../../events/wire/index.ts";
import { onState, type Runtime, type StateWiring } from "../../interp/index.ts";
import type { RunEvent, Usage } from "../types.ts";

export class EventStream {
  usage: Usage = { input: 0, output: 0 };
  /** US dollars; null when a model without a price took part. */
  cost: number | null = 0;
  runtime: Runtime | undefined;
  private readonly run: string;
  private readonly say: (event: RunEvent) => void;
  private seq = 0;

  constructor(run: string, say: (event: RunEvent) => void) {
    this.run = run;
    this.say = say;
  }

  readonly wiring: StateWiring = onState(runEvents, (events) => {
    events.subscribe((event) => this.take(event));
  });

  private take(event: MadeEvent): void {
    if (event.type === "usage") {
      const { input, output, cost_usd } = event.data.total;
      this.usage = { input, output };
      this.cost = cost_usd;
    }
    const envelope = envelopeOfEvent(event);
    if (envelope !== null) this.pass(envelope);
  }

  /** An event of the run itself, outside of its loops. */
  note<T extends RunEvent["type"]>(type: T, data: Extract<RunEvent, { type: T }>["data"]): void {
    this.pass({ v: 1, type, loop: null, parent: null, turn: 0, call: null, data } as Envelope);
  }

  private pass(envelope: Envelope): void {
    const { secrets } = this.runtime ?? {};
    const data = secrets === undefined ? envelope.data : secrets.hideIn(envelope.data as never);
    const seq = Object.hasOwn(durableEventTypes, envelope.type) ? ++this.seq : null;
    this.say({ ...envelope, data, seq, at: Date.now(), conversation: null, run: this.run } as RunEvent);
  }
}
