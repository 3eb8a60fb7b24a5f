/** The governors of a process, and the client that asks them: requests wait here, and 429s are repeated here and nowhere else. */
import type { ModelClient, ModelOutcome, ModelRequest, StreamOptions } from "../../model/index.ts";
import { type CallPermit, Governor, type GovernorRules, type LimitStep, usualRules } from "./governor.ts";
import type { CallWaits, SentRequest } from "./trial-waits.ts";

interface GovernorsOptions {
  readonly now: () => number;
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
  readonly random: () => number;
  /** Rules by provider. */
  readonly rules?: ReadonlyMap<string, GovernorRules>;
  /** A provider that answers nothing for so long pauses the set, milliseconds. */
  readonly giveUpMs: number;
  readonly onChange: (provider: string, step: LimitStep) => void;
  readonly onSilent: (provider: string) => void;
}

export interface GovernedFigures {
  readonly provider: string;
  readonly inFlight: number;
  readonly limit: number;
}

class GovernorGate {
  readonly governor: Governor;
  readonly waiting: (() => void)[] = [];
  timer: AbortController | undefined;

  constructor(governor: Governor) {
    this.governor = governor;
  }
}

export class Governors {
  private readonly options: GovernorsOptions;
  private readonly gates = new Map<string, GovernorGate>();
  private rules: ReadonlyMap<string, GovernorRules>;
  private isClosed = false;

  constructor(options: GovernorsOptions) {
    this.options = options;
    this.rules = options.rules ?? new Map();
  }

  /** Other rules by provider, for requests from now on. */
  retune(rules: ReadonlyMap<string, GovernorRules>): void {
    this.rules = rules;
    for (const [key, gate] of this.gates) {
      gate.governor.retune(rules.get(providerIn(key)) ?? usualRules, this.options.now());
      this.wake(gate);
    }
  }

  /** No request begins any more: those that wait go on waiting, and so do those that a limit has sent back. */
  close(): void {
    this.isClosed = true;
    for (const { waiting } of this.gates.values()) for (const look of waiting.splice(0)) look();
  }

  figures(): readonly GovernedFigures[] {
    return [...this.gates].map(([provider, { governor }]) => ({
      provider,
      inFlight: governor.inFlight,
      limit: governor.limit,
    }));
  }

  /**
   * A client behind the governors, which tells how long its requests wait; what is written beforehand comes as it is.
   * `onHeld` is called for a request that will never be sent.
   */
  govern(client: ModelClient, waits?: CallWaits, onHeld: () => void = () => {}): ModelClient {
    return {
      stream: (request, how) =>
        written.has(request.provider)
          ? client.stream(request, how)
          : this.stream(client, request, how ?? {}, waits, onHeld),
    };
  }

  private async stream(
    client: ModelClient,
    request: ModelRequest,
    how: StreamOptions,
    waits: CallWaits | undefined,
    onHeld: () => void,
  ): Promise<ModelOutcome> {
    const { now } = this.options;
    const { provider } = request;
    const gate = this.gateOf(request);
    let metLimit = false;
    for (;;) {
      const permit = await waitingForPermit(waits, provider, () => this.enter(gate, how.signal, onHeld));
      permit.metLimit = metLimit;
      const outcome = await sent(client, request, how, waits);
      if (!this.isLimit(outcome) || how.signal?.aborted === true) {
        this.leave(gate, permit, outcome, provider);
        if (!outcome.ok) how.onEvent?.({ kind: "error", error: outcome.error });
        return outcome;
      }
      metLimit = true;
      const { error } = outcome as Extract<ModelOutcome, { ok: false }>;
      if (error.status === 408) {
        gate.governor.failed(permit);
        this.wake(gate);
        await waitingForPermit(waits, provider, () => this.options.sleep(firstPauseMs, how.signal));
      } else gate.governor.limited(permit, now(), error.retry_after_ms);
      this.watchSilence(gate, provider);
      this.wake(gate);
    }
  }

  /** Answers that are the governor's alone to repeat. */
  private isLimit(outcome: ModelOutcome): boolean {
    if (outcome.ok) return false;
    const { status, category, reason } = outcome.error;
    // Somebody who has no money left there does not get any by waiting.
    if (reason === "quota") return false;
    return (
      status === 429 ||
      status === 529 ||
      status === 408 ||
      (status === undefined && category === "rate_limit")
    );
  }

  private leave(gate: GovernorGate, permit: CallPermit, outcome: ModelOutcome, provider: string): void {
    if (outcome.ok) gate.governor.succeeded(permit, this.options.now());
    else {
      gate.governor.failed(permit);
      this.watchSilence(gate, provider);
    }
    this.wake(gate);
  }

  private watchSilence({ governor }: GovernorGate, provider: string): void {
    if (this.options.now() - governor.answeredAt >= this.options.giveUpMs) this.options.onSilent(provider);
  }

  private async enter(
    gate: GovernorGate,
    signal: AbortSignal | undefined,
    onHeld: () => void,
  ): Promise<CallPermit> {
    for (;;) {
      signal?.throwIfAborted();
      if (this.isClosed) {
        onHeld();
        return await new Promise<never>(() => {});
      }
      const permit = gate.governor.begin(this.options.now());
      if (permit !== undefined) return permit;
      await new Promise<void>((resolve, reject) => {
        const begin = (): void => {
          signal?.removeEventListener("abort", gone);
          resolve();
        };
        // Its turn must not go to one that waits no longer.
        const gone = (): void => {
          gate.waiting.splice(gate.waiting.indexOf(begin), 1);
          if (gate.waiting.length === 0) gate.timer?.abort();
          reject(signal?.reason);
        };
        gate.waiting.push(begin);
        signal?.addEventListener("abort", gone, { once: true });
        this.wakeLater(gate);
      });
    }
  }

  /** Those who wait look again, as many as may begin. */
  private wake(gate: GovernorGate): void {
    const { governor, waiting } = gate;
    if (this.options.now() < governor.opensAt) {
      this.wakeLater(gate);
      return;
    }
    const free = Math.max(0, governor.limit - governor.inFlight);
    for (const resolve of waiting.splice(0, free)) resolve();
  }

  private wakeLater(gate: GovernorGate): void {
    const left = gate.governor.opensAt - this.options.now();
    if (left <= 0 || gate.timer !== undefined || gate.waiting.length === 0) return;
    const timer = new AbortController();
    gate.timer = timer;
    const over = (): void => {
      gate.timer = undefined;
      this.wake(gate);
    };
    this.options.sleep(Math.ceil(left), timer.signal).then(over, over);
  }

  private gateOf(request: ModelRequest): GovernorGate {
    const key = request.base_url == null ? request.provider : `${request.provider} ${request.base_url}`;
    let gate = this.gates.get(key);
    if (gate === undefined) {
      const { now, random, onChange } = this.options;
      const governor = new Governor(this.rules.get(request.provider) ?? usualRules, now(), random);
      governor.onChange = (step) => onChange(key, step);
      gate = new GovernorGate(governor);
      this.gates.set(key, gate);
    }
    return gate;
  }
}

/** Answers that somebody wrote down wait for nobody. */
const written: ReadonlySet<string> = new Set(["mock", "tape"]);

async function waitingForPermit<T>(
  waits: CallWaits | undefined,
  provider: string,
  wait: () => Promise<T>,
): Promise<T> {
  const over = waits?.begin({ name: provider, category: "provider" });
  try {
    return await wait();
  } finally {
    over?.();
  }
}

/** One request and what comes back of it. */
async function sent(
  client: ModelClient,
  request: ModelRequest,
  { onEvent, ...options }: StreamOptions,
  waits: CallWaits | undefined,
): Promise<ModelOutcome> {
  const on = waits?.send(request.provider);
  let how: Parameters<SentRequest["over"]>[0] = "cut off";
  try {
    const outcome = await client.stream(request, {
      ...options,
      onEvent: (event) => {
        // Errors of answers that are repeated are nobody's business.
        if (event.kind === "error") return;
        on?.answers();
        onEvent?.(event);
      },
    });
    if (outcome.ok) how = "answered";
    else if (outcome.error.retryable) how = "failed";
    return outcome;
  } finally {
    on?.over(how);
  }
}

/** Of the key of a gate, which may name a server, too. */
const providerIn = (key: string): string => key.split(" ", 1)[0] as string;

const firstPauseMs = 1000;
