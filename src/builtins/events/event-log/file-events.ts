/**
 * Events in files: one per topic, a JSON object per line, readable with any tool. A line that a killed process left
 * unfinished is passed over; the next event begins a line of its own.
 */
import type { Json } from "../../../effects/index.ts";
import type { Files } from "../../../host/index.ts";
import { keptFiles, type Runtime } from "../../../interp/index.ts";
import { joinPaths } from "../../files/path-text.ts";
import type { EventStore, NewEvent, StoredEvent } from "./event-store.ts";

const suffix = ".jsonl";

/** What was read of a topic's file, valid while the file has this size. */
interface Known {
  size: number;
  readonly events: StoredEvent[];
}

export class FileEvents implements EventStore {
  readonly backend = "file";
  readonly location: string;
  private readonly runtime: Runtime;
  private readonly known = new Map<string, Known>();

  /** Touches nothing yet: a replay makes one too. */
  constructor(runtime: Runtime, folder: string) {
    this.runtime = runtime;
    this.location = folder;
  }

  append(topic: string, event: NewEvent): number {
    const events = this.events(topic);
    const id = (events.at(-1)?.id ?? 0) + 1;
    const stored = { id, ...event };
    if (events.length === 0) this.files.makeDir(this.location);
    const path = this.path(topic);
    // A torn line would swallow this one, so every line brings its own beginning.
    this.files.append(path, `\n${JSON.stringify(stored)}`);
    events.push(stored);
    this.known.set(topic, { size: this.files.stat(path)?.size ?? -1, events });
    return id;
  }

  read(topic: string, after: number, limit: number): readonly StoredEvent[] {
    const events = this.events(topic);
    const first = events.findLastIndex((event) => event.id <= after) + 1;
    return events.slice(first, first + limit);
  }

  latest(topic: string): StoredEvent | undefined {
    return this.events(topic).at(-1);
  }

  topics(): readonly (readonly [string, number])[] {
    if (this.files.stat(this.location) === undefined) return [];
    return this.files
      .list(this.location)
      .filter(({ name, kind }) => kind === "file" && name.endsWith(suffix))
      .map(({ name }) => topicOf(name))
      .sort()
      .map((topic) => [topic, this.latest(topic)?.id ?? 0] as const);
  }

  private get files(): Files {
    return keptFiles(this.runtime);
  }

  private path(topic: string): string {
    return joinPaths([this.location, `${encodeURIComponent(topic)}${suffix}`]);
  }

  /** Read anew only when the file has changed: other processes may write to it too. */
  private events(topic: string): StoredEvent[] {
    const path = this.path(topic);
    const size = this.files.stat(path)?.size;
    if (size === undefined) return [];
    const known = this.known.get(topic);
    if (known?.size === size) return known.events;
    const events = this.files.readText(path).split("\n").flatMap(readEventLine);
    this.known.set(topic, { size, events });
    return events;
  }
}

const topicOf = (fileName: string): string => {
  try {
    return decodeURIComponent(fileName.slice(0, -suffix.length));
  } catch {
    return fileName.slice(0, -suffix.length);
  }
};

function readEventLine(line: string): StoredEvent[] {
  if (line === "") return [];
  try {
    const data = JSON.parse(line) as { readonly [key: string]: Json };
    if (typeof data.id !== "number" || typeof data.kind !== "string") return [];
    const { id, kind, payload = null, headers = null, atMs } = data;
    return [{ id, kind, payload, headers, atMs: typeof atMs === "number" ? atMs : 0 }];
  } catch {
    return [];
  }
}
