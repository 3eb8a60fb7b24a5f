/**
 * `Idempotency-Key`: the same request gets the first answer again, for a day, across restarts. The answer is written in the
 * transaction of the thing itself (`commit`), so that neither a crash nor a second server can do it twice.
 */
import { createHash } from "node:crypto";
import type { HttpAnswerBody } from "./answer.ts";
import { nobody, type Principal } from "./auth/access.ts";
import { HttpProblem } from "./problems.ts";

/** An answer as it is kept. */
export interface KeptAnswer {
  readonly digest: string;
  readonly status: number;
  /** JSON text of `{body, headers}`. */
  readonly body: string;
}

/** Where answers are kept (`durable/`). */
export interface KeptAnswers {
  find(principal: string, key: string): KeptAnswer | undefined;
  keep(principal: string, key: string, answer: KeptAnswer): void;
  /** Everything that `work` writes, or nothing. */
  together<T>(work: () => T): T;
}

/** What all requests with a key share. */
export interface IdempotencyState {
  readonly kept: KeptAnswers;
  /** Requests with an `Idempotency-Key` that are not answered yet. */
  readonly inFlight: Set<string>;
}

const form = /^[\x21-\x7e]{1,128}$/;

export class Idempotency {
  private readonly services: IdempotencyState;
  private readonly principal: string;
  private readonly key: string | undefined;
  private readonly digest: string;
  private isKept = false;

  constructor(
    services: IdempotencyState,
    request: Request,
    principal: Principal,
    path: string,
    body: Uint8Array | undefined,
  ) {
    this.services = services;
    this.principal = principal.name;
    const key =
      request.method === "POST" && principal !== nobody ? request.headers.get("idempotency-key") : null;
    if (key !== null && !form.test(key))
      throw new HttpProblem("invalid", "the Idempotency-Key can't be used", {
        errors: [{ path: "header.idempotency-key", message: "must be 1 to 128 visible ASCII characters" }],
      });
    this.key = key ?? undefined;
    this.digest =
      key === null
        ? ""
        : createHash("sha256")
            .update(`${request.method} ${path}\n`)
            .update(body ?? "")
            .digest("hex");
  }

  /** What the handler answers, or what it answered the first time. */
  async answer(
    work: () => HttpAnswerBody | Response | Promise<HttpAnswerBody | Response>,
  ): Promise<HttpAnswerBody | Response> {
    if (this.key === undefined) return await work();
    const { inFlight, kept } = this.services;
    const name = `${this.principal} ${this.key}`;
    const before = kept.find(this.principal, this.key);
    if (before !== undefined) return this.again(before);
    if (inFlight.has(name))
      throw new HttpProblem("in-progress", "the first request with this key has not been answered yet", {
        headers: { "retry-after": "1" },
      });
    inFlight.add(name);
    try {
      const answer = await work();
      if (!this.isKept && !(answer instanceof Response)) this.keep(answer);
      return answer;
    } finally {
      inFlight.delete(name);
    }
  }

  /** Does it, and keeps the answer with it; gives the first answer when another server was faster. */
  commit(work: () => HttpAnswerBody): HttpAnswerBody {
    const { kept } = this.services;
    return kept.together(() => {
      const before = this.key === undefined ? undefined : kept.find(this.principal, this.key);
      if (before !== undefined) {
        this.isKept = true;
        return this.again(before);
      }
      const answer = work();
      this.keep(answer);
      return answer;
    });
  }

  private keep(answer: HttpAnswerBody): void {
    this.isKept = true;
    if (this.key === undefined) return;
    const { status, headers } = answer;
    const body = "kept" in answer ? answer.kept : answer.body;
    this.services.kept.keep(this.principal, this.key, {
      digest: this.digest,
      status,
      body: JSON.stringify({ body, headers }),
    });
  }

  private again({ digest, status, body: text }: KeptAnswer): HttpAnswerBody {
    if (digest !== this.digest)
      throw new HttpProblem("key-reused", "this Idempotency-Key was used for another request");
    const { body, headers } = JSON.parse(text) as Pick<HttpAnswerBody, "body" | "headers">;
    return { status, body, headers: { ...headers, "idempotent-replay": "true" } };
  }
}
