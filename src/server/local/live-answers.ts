/** Answers to the questions of a run that lives: looked for in the store, whoever wrote them, and given to the run. */
import { doubtQuestion } from "../../effects/index.ts";
import { type LivingRun, valueForm } from "../../run/setup/index.ts";
import type { Store } from "../../store/index.ts";

/** How long an answer may stay unnoticed when nobody tells of it. */
const lookEveryMs = 100;

export class LiveAnswers {
  taker: Pick<LivingRun, "giveAnswer"> | undefined;
  private readonly run: string;
  /** Kinds by place. */
  private readonly questions = new Map<string, string>();
  private store: Store | undefined;
  private looking: NodeJS.Timeout | undefined;
  private version = -1;

  constructor(run: string) {
    this.run = run;
  }

  open(place: string, kind: string, store: Store): void {
    this.store = store;
    this.questions.set(place, kind);
    this.version = -1;
    this.looking ??= setInterval(() => this.lookWhenChanged(), lookEveryMs);
  }

  /** False when it is not open. */
  close(place: string): boolean {
    const isOpen = this.questions.delete(place);
    if (this.questions.size === 0) this.end();
    return isOpen;
  }

  private lookWhenChanged(): void {
    const version = this.store?.othersVersion();
    if (version === this.version) return;
    this.version = version ?? -1;
    this.look();
  }

  look(): void {
    const { store, taker } = this;
    if (store === undefined || taker === undefined || this.questions.size === 0) return;
    for (const { place, answer } of store.runs.questions.of(this.run)) {
      const kind = this.questions.get(place);
      if (answer === undefined || kind === undefined) continue;
      this.close(place);
      taker.giveAnswer(place, kind === doubtQuestion ? answer : valueForm(answer));
    }
  }

  end(): void {
    clearInterval(this.looking);
    this.looking = undefined;
  }
}
