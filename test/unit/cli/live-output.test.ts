/** Output of `parallel` as it is printed: on a terminal, and with `--live`. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { harn } from "../../support/run-cli.ts";
import { tempFolders } from "../../support/temp-folder.ts";
import { harnInTerminal, hasTerminals } from "../../support/terminal.ts";

const folders = tempFolders("live-output");

/** The second body is through before the first one goes on. */
const program = `timestamp()
let go = channel("go", 1)
parallel each ["first", "second"] { name ->
  println("begin \${name}")
  if name == "first" { receive(go) } else { sleep(20) }
  println("end \${name}")
  if name == "second" { send(go, true) }
}
`;
const inOrder = "begin first\nend first\nbegin second\nend second\n";
const asPrinted = "begin first\n[1 second] begin second\n[1 second] end second\n[0 first] end first\n";

function script(): string {
  const cwd = folders();
  writeFileSync(join(cwd, "p.harn"), program);
  return cwd;
}

describe("output of parallel", () => {
  it("stands in the order of the bodies in a file, and as it is printed with --live", async () => {
    const cwd = script();
    expect(harn(["run", "p.harn"], { cwd }).stdout).toBe(inOrder);
    expect(harn(["run", "--live", "p.harn"], { cwd }).stdout).toBe(asPrinted);
    const replay = harn(["replay", "last"], { cwd });
    expect(replay).toMatchObject({ stdout: inOrder, status: 0 });
  });

  it.runIf(hasTerminals)("appears on a terminal when it is printed", async () => {
    const cwd = script();
    const screen = await harnInTerminal(["run", "p.harn"], { cwd, prompt: "?", answers: [] });
    expect(screen).toEqual({ text: asPrinted, status: 0 });
    expect(harn(["replay", "last"], { cwd }).stdout).toBe(inOrder);
  });
});
