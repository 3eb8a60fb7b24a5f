/** What a loop does around each of its rounds. */
import type { Frame } from "../../interp/index.ts";

/** What a loop with a `defer` inside does at both ends of a round. */
export interface Rounds {
  /** How many blocks are registered already. */
  begin(f: Frame): number;
  /** The blocks registered since get the round's variables as they are now. */
  end(f: Frame, registered: number): void;
}
