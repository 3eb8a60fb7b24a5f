/** A server's children: one run a message, in order, answered while they live, whoever dies. */
// suite: processes
import { afterEach, describe, expect, it } from "vitest";
import { ServedProject, until } from "../../../support/served.ts";
import { tempFolders } from "../../../support/temp-folder.ts";

const folders = tempFolders("served");
let project: ServedProject;
const open = (
  ...args: ConstructorParameters<typeof ServedProject> extends [string, ...infer Rest] ? Rest : never
) => {
  project = new ServedProject(folders(), ...args);
  return project;
};
afterEach(() => project.close());

describe("a message", () => {
  it("is a run of the script, told in order, and the next one waits for its end", async () => {
    const one = open({ echo: 'append_file("log.txt", "${argv[0]}\\n")\nprintln("said ${argv[0]}")' });
    const server = await one.serve();
    const id = one.open("echo", "one");
    one.say(id, "two");
    await until(
      () => one.state_(id) === "idle",
      () => `${one.state_(id)}\n${server.output}`,
    );
    expect(one.read("log.txt")).toBe("one\ntwo\n");
    expect(one.types(id)).toEqual([
      "conversation.created",
      "message.queued",
      "conversation.changed",
      "conversation.state",
      "message.queued",
      "message.taken",
      "run.start",
      "conversation.state",
      "run.end",
      "conversation.state",
      "message.taken",
      "run.start",
      "conversation.state",
      "run.end",
      "conversation.state",
    ]);
    await server.stop();
  });
});
