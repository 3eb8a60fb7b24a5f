/** A process that writes into a paper beside others: `node paper-writer.ts FOLDER PAPER NAME COUNT`. */
import { createHash, randomUUID } from "node:crypto";
import { EmbeddedOperations } from "../../src/durable/index.ts";
import { openStore } from "../../src/store/index.ts";
import { Papers, WritingStore } from "../../src/writing/durable/index.ts";
import { compiled } from "./compiled-sources.ts";

compiled();
const [folder, paper, name, count] = process.argv.slice(2) as [string, string, string, string];
const store = openStore(folder);
const papers = new Papers(
  new WritingStore(new EmbeddedOperations(store), {
    now: () => Date.now(),
    uuid: randomUUID,
    sha256: (text) => createHash("sha256").update(text).digest("hex"),
  }),
);
let stale = 0;
for (let at = 0; at < Number(count); at++) {
  // Its own section always, and the one that all write only as it was seen: whoever is told of a change looks again.
  papers.writeSection(paper, name, { body: `${name} ${at}` }, null, { by: name });
  for (let isDone = false; !isDone; ) {
    const seen = papers.mustGet(paper).sections.find(({ label }) => label === "all");
    const answer = papers.writeSection(
      paper,
      "all",
      { body: `${seen?.body ?? ""}${name}${at} ` },
      seen?.version ?? null,
      { by: name },
    );
    isDone = !("stale" in answer);
    if (!isDone) stale++;
  }
}
store.close();
process.stdout.write(`${stale}\n`);
