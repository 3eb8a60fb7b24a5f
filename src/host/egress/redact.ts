/** URLs and headers as messages and lists of calls show them. */

const sensitive = /auth|cookie|secret|signature|token|key|password|passwd|credential|session/i;

export function redactHeader(name: string, value: string): string {
  return sensitive.test(name) ? "[redacted]" : value;
}

/** Without credentials before the host and in parameters. Text work only: the rest stays as it was written. */
export function redactUrl(url: string): string {
  const plain = url.replace(/^((?:https?|wss?):\/\/)[^/?#@]*@/i, "$1");
  const at = plain.indexOf("?");
  if (at < 0) return plain;
  const query = plain
    .slice(at + 1)
    .replace(/([^&=#]+)=([^&#]*)/g, (pair, name: string) =>
      sensitive.test(name) ? `${name}=%5Bredacted%5D` : pair,
    );
  return `${plain.slice(0, at)}?${query}`;
}
