/** The world of a trial. */
export {
  beginWorld,
  checkedWorld,
  type World,
  withAt,
  withoutAt,
  worldAt,
  worldOf,
  worldPath,
} from "./world.ts";
