/** What a run is given by whoever runs it for somebody else: a server's child, a program in TypeScript. */
import type { InDoubtRule, Json } from "../../effects/index.ts";
import type { Host, NodeInterrupts } from "../../host/index.ts";
import type { GuardedEnd, Runtime, StateWiring } from "../../interp/index.ts";
import type { RunOutcome } from "../../lower/index.ts";
import type { DiagnosticsReport } from "../../manifest/index.ts";
import type { RunWriter, Store } from "../../store/index.ts";
import type { ServedPorts } from "../../threads/index.ts";
import type { FlowFunctions } from "./flow-of-run.ts";
import type { HostModels } from "./wire-models.ts";

/** What of a run's effects its surroundings use. */
export interface LivingRun {
  /** Takes what people say to the run's questions while it lives. False when nothing waits for it. */
  giveAnswer(place: string, answer: Json): boolean;
  /** Begins its journal now, so that it can be resumed whatever it has done. */
  beginsNow(): void;
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
  /**
   * Who reads of its end: somebody with the page of a server, a program that has it as data, or whoever handed it over to this machine.
   * None of them has a command line here.
   */
  readonly reader: "server" | "program" | "sender";
  /** It goes on with the texts in its journal, whatever lies where they came from. */
  readonly isAsRecorded?: boolean;
  /** What asks the run to stop; the signals of the process unless given. */
  readonly interrupts?: NodeInterrupts;
  /** The machine of the run, in place of the one that it would have; its rules are put around it. */
  readonly machine?: (host: Host) => Host;
  /** What its new journal is written by, in place of the store's writer: for tests that break off what is written. */
  readonly writer?: (writer: RunWriter) => RunWriter;
  /** Takes what is wrong with the program; standard error unless given. */
  readonly diagnosed?: DiagnosticsReport;
  /** What the host of the run fixes about models, besides the flags. */
  readonly models?: HostModels;
  /** The functions of flows that this program has, by name: `RunFlags.flow`. */
  readonly flows?: FlowFunctions;
  /** Sees the run before its program begins; without a journal nothing of it can be used. */
  began(runtime: Runtime, run: LivingRun | undefined): void;
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
  ended(end: GuardedEnd<RunOutcome>, runtime: Runtime): Promise<void>;
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

export const machineOf = (host: Host, { machine }: Partial<Surroundings> = {}): Host =>
  machine?.(host) ?? host;
