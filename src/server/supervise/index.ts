/** Children that do the work of conversations: taking it, watching, interrupting, ending. */
export type {
  EphemeralEnvelope,
  InterruptAnswer,
  InterruptTarget,
  InterruptWish,
  Listener,
  ServedAgent,
  Supervisor,
  Told,
} from "./supervisor.ts";
