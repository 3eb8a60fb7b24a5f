/** Programs in a real terminal, through `script` of util-linux, which most systems have. */
import { spawn, spawnSync } from "node:child_process";
import { cleanEnvironment } from "./command-environment.ts";
import { launcher } from "./project.ts";

export const hasTerminals = spawnSync("script", ["--version"]).status === 0;

export interface Screen {
  /** What was shown, with what was typed. */
  readonly text: string;
  readonly status: number | null;
}

/** `harn ARGS` in a terminal; each time the prompt is shown, the next answer is typed. */
export function harnInTerminal(
  args: readonly string[],
  options: { readonly cwd: string; readonly prompt: string; readonly answers: readonly string[] },
): Promise<Screen> {
  const line = [launcher, ...args].map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(" ");
  const child = spawn("script", ["-qefc", line, "/dev/null"], {
    cwd: options.cwd,
    env: cleanEnvironment(),
    stdio: ["pipe", "pipe", "inherit"],
  });
  const answers = [...options.answers];
  let text = "";
  let seen = 0;
  child.stdout.setEncoding("utf8").on("data", (piece: string) => {
    text += piece;
    for (let at = text.indexOf(options.prompt, seen); at >= 0; at = text.indexOf(options.prompt, seen)) {
      seen = at + options.prompt.length;
      const answer = answers.shift();
      if (answer !== undefined) child.stdin.write(`${answer}\n`);
    }
  });
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (status) => resolve({ text: text.replaceAll("\r\n", "\n"), status }));
  });
}
