/**
 * Events that files show: one per topic, a JSON object per line, readable with any tool. A file that has another size than the
 * ledger wrote last (an older version made it, somebody edited or removed it) is taken over before anything else is done. A
 * line that was cut off is passed over; the next event begins a line of its own.
 */
import { type EmbeddedLedger, eventTopics, projections } from "../../../durable/index.ts";
import type { Json } from "../../../effects/index.ts";
import type { Files } from "../../../host/index.ts";
import { keptFiles, notifyPerson } from "../../../interp/index.ts";
import { joinPaths } from "../../files/path-text.ts";
import type { NewEvent, StoredEvent } from "./event-store.ts";
import { LedgerEvents } from "./ledger-events.ts";

const suffix = ".jsonl";

export class FileEvents extends LedgerEvents {
  override readonly backend = "file";
  override readonly location: string;

  constructor(...args: ConstructorParameters<typeof LedgerEvents>) {
    super(...args);
    this.location = this.folder;
  }

  override append(topic: string, event: NewEvent): number {
    return this.use((ledger) =>
      ledger.together(() => {
        this.takeOver(ledger, topic);
        const id = super.append(topic, event);
        const path = this.path(topic);
        // A torn line would swallow this one, so every line brings its own beginning.
        this.files.append(path, `\n${JSON.stringify({ id, ...event })}`);
        ledger.operateSync(projections.wrote, { path, digest: this.sizeOf(path) });
        return id;
      }),
    );
  }

  override read(topic: string, after: number, limit: number, kindPrefix = ""): readonly StoredEvent[] {
    if (this.isEmpty()) return [];
    this.use((ledger) => ledger.together(() => this.takeOver(ledger, topic)));
    return super.read(topic, after, limit, kindPrefix);
  }

  override topics(): readonly (readonly [string, number])[] {
    if (this.isEmpty()) return [];
    const names = this.files
      .list(this.folder)
      .filter(({ name, kind }) => kind === "file" && name.endsWith(suffix))
      .map(({ name }) => topicOf(name));
    this.use((ledger) =>
      ledger.together(() => {
        for (const topic of names) this.takeOver(ledger, topic);
      }),
    );
    return super.topics().filter(([, last]) => last > 0);
  }

  /** Reading makes no folder. */
  private isEmpty(): boolean {
    return this.files.stat(this.folder) === undefined;
  }

  private takeOver(ledger: EmbeddedLedger, topic: string): void {
    const path = this.path(topic);
    const known = ledger.operateSync(projections.digest, { path });
    const size = this.sizeOf(path);
    if (size === (known?.digest ?? null)) return;
    const events = size === null ? [] : this.files.readText(path).split("\n").flatMap(parseEventLine);
    ledger.operateSync(eventTopics.replace, { topic, events: events.map((event) => this.hidden(event)) });
    ledger.operateSync(projections.wrote, { path, digest: this.sizeOf(path) });
    if (known !== null)
      notifyPerson(this.runtime, `harn: ${path} was changed by others; it counts as it is\n`);
  }

  /** A log only grows: its size says whether it is the one that was written. */
  private sizeOf(path: string): string | null {
    const found = this.files.stat(path);
    return found === undefined ? null : `${found.size} bytes`;
  }

  private get files(): Files {
    return keptFiles(this.runtime);
  }

  private path(topic: string): string {
    return joinPaths([this.folder, `${encodeURIComponent(topic)}${suffix}`]);
  }
}

const topicOf = (fileName: string): string => {
  try {
    return decodeURIComponent(fileName.slice(0, -suffix.length));
  } catch {
    return fileName.slice(0, -suffix.length);
  }
};

function parseEventLine(line: string): NewEvent[] {
  if (line === "") return [];
  try {
    const data = JSON.parse(line) as { readonly [key: string]: Json };
    if (typeof data.id !== "number" || typeof data.kind !== "string") return [];
    const { kind, payload = null, headers = null, atMs } = data;
    return [{ kind, payload, headers, atMs: typeof atMs === "number" ? Math.floor(atMs) : 0 }];
  } catch {
    return [];
  }
}
