/**
 * A server's child: one run of one message of a conversation, recorded in the server's store. It is answered while it lives,
 * parks when people take too long, and tells its server what is worth knowing at once.
 */
import { questionId } from "../../durable/index.ts";
import type { Doubtful, Json } from "../../effects/index.ts";
import type { ParentLine } from "../../host/index.ts";
import type { Runtime, StateWiring } from "../../interp/index.ts";
import type { ConversationJob, ToChild } from "../../server/supervise/index.ts";
import { askedBy, Conversations } from "../../threads/index.ts";
import { runScriptCommand } from "../run/run-command.ts";
import type { RunFlags } from "../run/run-flags.ts";
import type { AnswerTaker, OwnedJournal, Surroundings } from "../run/surroundings.ts";
import { LiveAnswers } from "./live-answers.ts";
import { piecesWiring } from "./live-pieces.ts";

/** Exit code of a run that ends where it is, to go on another time. */
const restCode = 143;

export async function conversationChild(
  job: ConversationJob,
  flags: RunFlags,
  parent: ParentLine,
): Promise<number> {
  // Where the store is must not depend on the folder that the run works in.
  process.env.HARN_STATE_DIR = job.stateFolder;
  const surroundings = new ConversationSurroundings(job, parent);
  const { run, script, conversation } = job;
  const text = job.text ?? "";
  if (job.goesOn)
    return await runScriptCommand(undefined, [], { ...flags, resume: run, onDoubt: "redo" }, surroundings);
  const params = {
    task: text,
    prompt: text,
    session_id: conversation,
    config: job.config,
    ...(job.mode === null ? {} : { mode: job.mode }),
  };
  return await runScriptCommand(
    script,
    [text, conversation],
    { ...flags, runName: run, params },
    surroundings,
  );
}

class ConversationSurroundings implements Surroundings {
  readonly wirings: readonly StateWiring[];
  private readonly job: ConversationJob;
  private readonly parent: ParentLine;
  private readonly answers: LiveAnswers;
  private readonly flushPieces: () => void;

  constructor(job: ConversationJob, parent: ParentLine) {
    this.job = job;
    this.parent = parent;
    this.answers = new LiveAnswers(job.run);
    const pieces = piecesWiring(job, parent);
    this.flushPieces = pieces.flush;
    this.wirings = [pieces.wiring];
  }

  began(runtime: Runtime, answers: AnswerTaker): void {
    this.answers.taker = answers;
    this.parent.listen((message) => {
      switch ((message as ToChild).type) {
        case "look":
          this.answers.look();
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
    this.flushPieces();
  }
}
