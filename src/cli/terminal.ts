/** What standard error can show. */

/** Colours: on a terminal, unless NO_COLOR asks for none; FORCE_COLOR asks for them anywhere. */
export function colourOnStderr(env: NodeJS.ProcessEnv = process.env): boolean {
  if (env.NO_COLOR) return false;
  return Boolean(env.FORCE_COLOR) || process.stderr.isTTY === true;
}

export function stderrWidth(): number {
  return process.stderr.columns ?? 100;
}
