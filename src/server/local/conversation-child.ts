/**
 * A server's child: one run of one message of a conversation, recorded in the server's store. It is answered while it lives,
 * parks when people take too long, and tells its server what is worth knowing at once.
 */
import { questionId } from "../../durable/index.ts";
import type { InDoubtRule, Json } from "../../effects/index.ts";
import { outside, placeOfEffect } from "../../events/index.ts";
import type { ParentLine } from "../../host/index.ts";
import type { Runtime } from "../../interp/index.ts";
import { answerForRun, type LivingRun, type OwnedJournal, type RunFlags } from "../../run/setup/index.ts";
import { type Store, StoreWatch } from "../../store/index.ts";
import { askedData, Conversations, eventBody } from "../../threads/index.ts";
import type { ConversationJob, FromChild, PassingEnvelope, ToChild } from "../supervise/index.ts";
import { type AskPorts, messageRun } from "./message-run.ts";

/** Exit code of a run that ends where it is, to go on another time. */
const restCode = 143;
/** Pieces that the server has not taken, beyond which no more are sent: what was said stands in the log. */
const maxBacklog = 64;

export async function conversationChild(
  job: ConversationJob,
  flags: RunFlags,
  parent: ParentLine,
): Promise<number> {
  const asking = new AskingChild(job, parent);
  const send = (message: FromChild): void => parent.send(message);
  const { conversation, run } = job;
  const message = messageRun(job, { ...flags, onDoubt: "redo" }, asking, (piece) => {
    if ("more" in piece) send({ type: "more" });
    else if (parent.backlog < maxBacklog)
      send({ type: "told", event: { v: 1, seq: null, conversation, run, ...piece } as PassingEnvelope });
  });
  parent.listen((value) => {
    if ((value as ToChild).type === "rest") asking.rest();
    else {
      asking.look();
      message.look();
    }
  });
  return await message.ended;
}

class AskingChild implements AskPorts {
  private readonly job: ConversationJob;
  private readonly parent: ParentLine;
  private readonly answers: LiveAnswers;
  private runtime: Runtime | undefined;
  /** It was asked before the run had begun. */
  private isToRest = false;

  constructor(job: ConversationJob, parent: ParentLine) {
    this.job = job;
    this.parent = parent;
    this.answers = new LiveAnswers(job.run);
  }

  began(runtime: Runtime, run: LivingRun | undefined): void {
    this.runtime = runtime;
    this.answers.taker = run;
    if (this.isToRest) this.rest();
  }

  /** The run ends where it is. */
  rest(): void {
    this.isToRest = true;
    this.runtime?.effects.requestStop({ reason: "terminate", exitCode: restCode, atOnce: true });
  }

  look(): void {
    this.answers.look();
  }

  asked(place: string, question: Json, { store, writer }: OwnedJournal): void {
    const { conversation, run } = this.job;
    const stored = { run, place, body: question, asked: 0, answer: undefined, answeredBy: undefined };
    const data = askedData(stored);
    const id = data.question;
    const where = this.runtime === undefined ? outside() : placeOfEffect(this.runtime, place);
    // Told once, however often the run is resumed; anew when it was withdrawn meanwhile.
    const withdrawn = new Conversations(store).withdrawnQuestion({ question: id });
    const event = {
      at: store.now(),
      type: "question.asked",
      origin: `${run}/${id}/asked${withdrawn === null ? "" : `/${withdrawn}`}`,
      body: eventBody(where, run, data),
    };
    writer.question(place, JSON.stringify(question), () => {
      new Conversations(store).appendEvents({ stream: conversation, owner: null, events: [event] });
    });
    this.answers.open(place, store);
    this.parent.send({ type: "more" });
  }

  over(place: string, { store, writer }: OwnedJournal): void {
    const { conversation, run } = this.job;
    if (!this.answers.close(place)) return;
    // Given up because somebody stops the run: it is withdrawn with the run, when that is gone.
    const interrupts = new Conversations(store).interrupts();
    if (interrupts.some((one) => one.conversation === conversation)) return;
    const question = questionId(run, place);
    const event = {
      at: store.now(),
      type: "question.expired",
      origin: `${run}/${question}/expired`,
      body: { run, data: { question } },
    };
    writer.settled(place, () => {
      new Conversations(store).appendEvents({ stream: conversation, owner: null, events: [event] });
    });
    this.parent.send({ type: "more" });
  }

  parkLater(park: () => void): () => void {
    const patience = setTimeout(park, this.job.patienceMs);
    return () => clearTimeout(patience);
  }

  /** What went over the network may have happened, and a command that changes something is not run twice unasked. */
  peopleDecide(kind: string, inDoubt: InDoubtRule | undefined): boolean {
    return inDoubt === "park" || (inDoubt !== "repeat" && kind.startsWith("http."));
  }

  async ended(): Promise<void> {
    this.answers.end();
  }
}

class LiveAnswers {
  taker: Pick<LivingRun, "giveAnswer"> | undefined;
  private readonly run: string;
  private readonly places = new Set<string>();
  private watch: StoreWatch | undefined;

  constructor(run: string) {
    this.run = run;
  }

  open(place: string, store: Store): void {
    this.watch ??= new StoreWatch(store);
    this.watch.add(this.take);
    this.places.add(place);
  }

  /** False when it is not open. */
  close(place: string): boolean {
    const isOpen = this.places.delete(place);
    if (this.places.size === 0) this.end();
    return isOpen;
  }

  look(): void {
    this.watch?.look();
  }

  private readonly take = ({ runs }: Store): void => {
    for (const question of runs.questions.of(this.run)) {
      const { place, answer } = question;
      if (answer === undefined || !this.close(place)) continue;
      this.taker?.giveAnswer(place, answerForRun(question, answer));
    }
  };

  end(): void {
    this.watch?.end();
  }
}
