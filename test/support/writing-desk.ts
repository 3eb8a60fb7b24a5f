/** A desk over a store of its own, with a counting clock and ids. */
import { createHash } from "node:crypto";
import { EmbeddedOperations } from "../../src/durable/index.ts";
import { openStore } from "../../src/store/index.ts";
import { Library, Notes, Papers, Sources, WritingStore } from "../../src/writing/durable/index.ts";

export function testWriting(folder: string) {
  const store = openStore(folder);
  let count = 0;
  const desk = new WritingStore(new EmbeddedOperations(store), {
    now: () => 1_000 + ++count,
    uuid: () => `00000000-0000-7000-8000-${String(++count).padStart(12, "0")}`,
    sha256: (text) => createHash("sha256").update(text).digest("hex"),
  });
  return {
    store,
    desk,
    papers: new Papers(desk),
    library: new Library(desk),
    notes: new Notes(desk),
    sources: new Sources(desk),
    close: () => store.close(),
  };
}
