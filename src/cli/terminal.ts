/** What the terminal can show. */

/** Colours: on a terminal, unless NO_COLOR asks for none; FORCE_COLOR asks for them anywhere. */
export function colourOnStderr(env: NodeJS.ProcessEnv = process.env): boolean {
  if (env.NO_COLOR) return false;
  return Boolean(env.FORCE_COLOR) || process.stderr.isTTY === true;
}

/** The same for standard output: reports of tests, the REPL. */
export function colourOnStdout(env: NodeJS.ProcessEnv = process.env): boolean {
  if (env.NO_COLOR) return false;
  return Boolean(env.FORCE_COLOR) || process.stdout.isTTY === true;
}

export function stderrWidth(): number {
  return process.stderr.columns ?? 100;
}
