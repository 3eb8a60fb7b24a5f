/** What a page of this server may do (docs/viewer.md): load its own files, talk to its own server, and nothing else. */

const common = ["base-uri 'none'", "require-trusted-types-for 'script'"];

/** Of the page. Its one policy for trusted types passes the address of the stream's worker. */
export const pagePolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "worker-src 'self'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  ...common,
  "trusted-types harn",
].join("; ");

/** Of a report, as a `<meta>`: its script and its style by their digests (SHA-256, base64), no connection at all. */
export const reportPolicy = (script: string, style: string): string =>
  [
    "default-src 'none'",
    `script-src 'sha256-${script}'`,
    `style-src 'sha256-${style}'`,
    "img-src data:",
    "form-action 'none'",
    ...common,
    "trusted-types 'none'",
  ].join("; ");
