/**
 * A child process that runs one message of a conversation, or makes the log of a run again: `node message-child.ts JOB`. Tells its
 * parent what it tells a server.
 */
import { type MessageJob, messageRun } from "../../src/server/local/message-run.ts";
import { rebuildLog } from "../../src/server/local/rebuild-log.ts";
import { compiled } from "./compiled-sources.ts";

compiled();
const job = JSON.parse(process.argv[2] ?? "") as MessageJob & { readonly rebuild?: boolean };
if (job.rebuild === true) process.exit(await rebuildLog(job.run, job.stateFolder));

let stay: NodeJS.Timeout | undefined;
const run = messageRun(
  job,
  {},
  {
    began: () => {},
    asked: (place, question, { writer }) => writer.question(place, JSON.stringify(question)),
    over: (place, { writer }) => writer.settled(place),
    parkLater: (park) => {
      stay = setTimeout(park, 10);
      return () => clearTimeout(stay);
    },
    peopleDecide: () => true,
    ended: async () => {},
  },
  (what) => process.send?.(what),
);
process.on("message", () => run.look());
process.exit(await run.ended);
