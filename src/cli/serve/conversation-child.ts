/**
 * A server's child: one run of one message of a conversation, recorded in the server's store. It is answered while it lives,
 * parks when people take too long, and tells its server what is worth knowing at once.
 */
import { questionId } from "../../durable/index.ts";
import type { Doubtful, Json } from "../../effects/index.ts";
import { envelopeVersion } from "../../events/index.ts";
import type { ParentLine } from "../../host/index.ts";
import type { Runtime } from "../../interp/index.ts";
import type { ConversationJob, ToChild } from "../../server/supervise/index.ts";
import { askedBy, Conversations, type Piece } from "../../threads/index.ts";
import type { RunFlags } from "../run/run-flags.ts";
import type { LivingRun, OwnedJournal } from "../run/surroundings.ts";
import { LiveAnswers } from "./live-answers.ts";
import { type Asking, messageRun } from "./message-run.ts";

/** Messages that the server has not taken, beyond which pieces are dropped. */
const maxBacklog = 64;

/** Exit code of a run that ends where it is, to go on another time. */
const restCode = 143;

export async function conversationChild(
  job: ConversationJob,
  flags: RunFlags,
  parent: ParentLine,
): Promise<number> {
  const asking = new ConversationAsking(job, parent);
  const again: RunFlags = job.goesOn ? { ...flags, onDoubt: "redo" } : flags;
  const run = messageRun(job, again, asking, (what) => {
    if ("more" in what) parent.tell({ type: "more" });
    else if (parent.backlog <= maxBacklog) parent.tell({ type: "told", event: pieceEvent(job, what) });
  });
  asking.lookForMessages = run.look;
  return await run.ended;
}

/** On the wire. A server that does not keep up misses some pieces; what was said stands in the log. */
const pieceEvent = ({ conversation, run }: ConversationJob, piece: Piece) => ({
  v: envelopeVersion,
  seq: null,
  conversation,
  run,
  ...piece,
});

class ConversationAsking implements Asking {
  lookForMessages: () => void = () => {};
  private readonly job: ConversationJob;
  private readonly parent: ParentLine;
  private readonly answers: LiveAnswers;

  constructor(job: ConversationJob, parent: ParentLine) {
    this.job = job;
    this.parent = parent;
    this.answers = new LiveAnswers(job.run);
  }

  began(runtime: Runtime, run: LivingRun): void {
    this.answers.taker = run;
    this.parent.listen((message) => {
      switch ((message as ToChild).type) {
        case "look":
          this.answers.look();
          this.lookForMessages();
          return;
        case "rest":
          runtime.effects.requestStop({ reason: "terminate", exitCode: restCode, atOnce: true });
      }
    });
  }

  asked(place: string, question: Json, { store, writer }: OwnedJournal): void {
    const { conversation, run } = this.job;
    const id = questionId(run, place);
    const asked = askedBy({ run, place, body: question, asked: 0, answer: undefined, answeredBy: undefined });
    const data = {
      question: id,
      kind: asked.kind === "permission" ? "approval" : asked.kind,
      prompt: asked.prompt,
      schema: (asked.schema ?? null) as Json,
      tool: asked.tool ?? null,
      arguments: asked.details,
      choices: asked.choices,
      deadline: null,
    };
    const event = {
      at: store.now(),
      type: "question.asked",
      origin: `${run}/${id}/asked`,
      body: { run, data },
    };
    writer.question(place, JSON.stringify(question), () => {
      new Conversations(store).appendEvents(conversation, null, [event]);
    });
    this.answers.open(place, asked.kind, store);
    this.parent.tell({ type: "more" });
  }

  over(place: string, { store, writer }: OwnedJournal): void {
    const { conversation, run } = this.job;
    if (!this.answers.close(place)) return;
    const question = questionId(run, place);
    const event = {
      at: store.now(),
      type: "question.expired",
      origin: `${run}/${question}/expired`,
      body: { run, data: { question } },
    };
    writer.settled(place, () => {
      new Conversations(store).appendEvents(conversation, null, [event]);
    });
    this.parent.tell({ type: "more" });
  }

  parkLater(park: () => void): () => void {
    const patience = setTimeout(park, this.job.patienceMs);
    return () => clearTimeout(patience);
  }

  /** What went over the network may have happened, and a command that changes something is not run twice unasked. */
  peopleDecide(kind: string, doubtful: Doubtful | undefined): boolean {
    return doubtful === "park" || (doubtful !== "repeat" && kind.startsWith("http."));
  }

  async ended(): Promise<void> {
    this.answers.end();
  }
}
