/** The flags of the commands that say whom to trust. */
import { bool } from "../../host/command/flags.ts";

export const trustFlags = {
  list: bool("what was agreed to, by project"),
  remove: bool("take it back"),
};
