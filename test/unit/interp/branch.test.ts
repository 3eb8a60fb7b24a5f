/** What bodies of `parallel` print, where somebody watches: when it is printed, marked where lines mix. */
import { describe, expect, it } from "vitest";
import { runScript } from "../../support/run-script.ts";

/** What the program prints (`out`), and what a person sees. */
async function watched(program: string): Promise<{ readonly out: string; readonly seen: string }> {
  let seen = "";
  const show = (text: string): void => {
    seen += text;
  };
  const runtime = { console: { write: show, writeError: show, show } };
  const [live, plain] = [await runScript(program, { runtime }), await runScript(program)];
  expect(live.error).toBe(plain.error);
  return { out: plain.stdout, seen };
}

describe("output of parallel", () => {
  it("is marked where a line stands before its place, and behind that", async () => {
    const { out, seen } = await watched(`
      parallel each ["a", "b", "c"] { name ->
        println("begin \${name}")
        sleep(if name == "a" { 40 } else { 10 })
        println("end \${name}")
      }
      println("over")`);
    expect(out).toBe("begin a\nend a\nbegin b\nend b\nbegin c\nend c\nover\n");
    expect(seen).toBe("begin a\n[1 b] begin b\n[2 c] begin c\n[1 b] end b\n[2 c] end c\n[0 a] end a\nover\n");
  });

  it("is the same where no lines mix", async () => {
    const { out, seen } = await watched(`
      parallel 3 { i -> print("\${i}, "); println("done") }
      parallel each [1, 2] with { max_concurrent: 1 } { i -> sleep(5); println(i) }`);
    expect(out).toBe("0, done\n1, done\n2, done\n1\n2\n");
    expect(seen).toBe(out);
  });

  it("is shown in whole lines", async () => {
    const { out, seen } = await watched(`
      parallel 2 { i ->
        sleep(20 - i * 15)
        print("one ")
        sleep(20)
        print("two")
      }`);
    expect(out).toBe("one twoone two");
    expect(seen).toContain("[1] one two\n");
    expect(seen.replaceAll(/\[\d\] /g, "").replaceAll("\n", "")).toContain("one two");
  });

  it("names both branches where one is inside another", async () => {
    const { out, seen } = await watched(`
      parallel 2 { i ->
        sleep(5)
        parallel each ["x", "y"] { name -> sleep(if name == "x" { 20 } else { 5 }); println("\${i}\${name}") }
      }`);
    expect(out).toBe("0x\n0y\n1x\n1y\n");
    // The first one stands at its place as far as the outer bodies go.
    expect(seen).toBe("[1 y] 0y\n[1][1 y] 1y\n[0][0 x] 0x\n[1][0 x] 1x\n");
  });

  it("of a task that is awaited appears there, as ever", async () => {
    const { out, seen } = await watched(`
      let job = spawn { parallel 2 { i -> sleep(10 - i * 5); println(i) } }
      sleep(30)
      println("before")
      await(job)`);
    expect(seen).toBe("before\n0\n1\n");
    expect(seen).toBe(out);
  });

  it("appears in a stream when it is printed", async () => {
    const { out, seen } = await watched(`
      for r in parallel each ["a", "b"] { name -> sleep(if name == "a" { 20 } else { 5 }); println("in \${name}"); name } as stream {
        println("got \${r}")
      }`);
    expect(out).toBe("in b\ngot b\nin a\ngot a\n");
    expect(seen).toBe("[1 b] in b\ngot b\n[0 a] in a\ngot a\n");
  });

  it("of the first body that has not ended is printed at once where nobody watches", async () => {
    let stdout = "";
    const seenAt: string[] = [];
    await runScript(
      `parallel 2 { i -> println("begin \${i}"); eprintln("now"); sleep(10); println("end \${i}") }`,
      {
        runtime: {
          console: {
            write: (text) => {
              stdout += text;
            },
            writeError: () => {
              seenAt.push(stdout);
            },
          },
        },
      },
    );
    expect(seenAt).toEqual(["begin 0\n", "begin 0\n"]);
    expect(stdout).toBe("begin 0\nend 0\nbegin 1\nend 1\n");
  });

  it("of bodies that a deadline ended does not come late", async () => {
    const { out, seen } = await watched(`
      try {
        deadline 20ms { parallel 2 { i ->
          println("begin \${i}")
          try { sleep(1s) } finally { println("finally \${i}") }
        } }
      } catch (e) { println("late") }
      sleep(50)
      println("over")`);
    expect(out).toBe("begin 0\nlate\nover\n");
    expect(seen).toBe("begin 0\n[1] begin 1\nlate\nover\n");
  });
});
