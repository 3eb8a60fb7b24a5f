/** What a run is given by a process that works for somebody else: a server's child. */
import type { InDoubtRule, Json } from "../../effects/index.ts";
import type { Runtime, StateWiring } from "../../interp/index.ts";
import type { RunWriter, Store } from "../../store/index.ts";
import type { ServedPorts } from "../../threads/index.ts";

/** What of a run's effects its surroundings use. */
export interface LivingRun {
  /** Takes what people say to the run's questions while it lives. False when nothing waits for it. */
  giveAnswer(place: string, answer: Json): boolean;
  /** How many records its journal has come to. */
  readonly records: number;
  /** Called when what has happened so far is in the journal. */
  onJournalled: () => void;
}

/** A run in the store, as its process owns it. */
export interface OwnedJournal {
  readonly store: Store;
  readonly writer: RunWriter;
}

export interface Surroundings {
  readonly wirings: readonly StateWiring[];
  /** Sees the run before its program begins. */
  began(runtime: Runtime, run: LivingRun): void;
  /** Where a run that works for a conversation reaches it. */
  readonly served?: ServedPorts;
  /** The run asks; nothing of the question is written yet. In code that an interrupt may break off. */
  asked(place: string, question: Json, journal: OwnedJournal): void;
  /** Nobody waits for the answer any more. */
  over(place: string, journal: OwnedJournal): void;
  /** `JournalledOptions.parkLater` */
  parkLater(park: () => void): () => void;
  /** `InDoubtOptions.peopleDecide` */
  peopleDecide(kind: string, inDoubt: InDoubtRule | undefined): boolean;
  /** Called when the program has ended, before the journal is read by anybody else. */
  ended(): Promise<void>;
}

/** What of them an effects port takes. `journal`: the run in the store, once it is begun. */
export function askingOptions(surroundings: Surroundings, journal: () => OwnedJournal | undefined) {
  const withJournal = (act: (journal: OwnedJournal) => void) => (): void => {
    const owned = journal();
    if (owned !== undefined) act(owned);
  };
  return {
    attended: () => false,
    parkLater: (park: () => void) => surroundings.parkLater(park),
    onQuestion: (place: string, question: Json) =>
      withJournal((owned) => surroundings.asked(place, question, owned))(),
    onQuestionOver: (place: string) => withJournal((owned) => surroundings.over(place, owned))(),
  };
}
