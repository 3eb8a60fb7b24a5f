/**
 * What secrets look like: formats that vendors publish for their keys, and assignments whose value looks random. Every
 * pattern is bounded or without nested repetition, so that a hostile text costs linear time.
 */

export interface SecretDetector {
  readonly id: string;
  readonly title: string;
  /** Global; group 1, when there is one, is the secret itself. */
  readonly pattern: RegExp;
  /** A second look at what matched. */
  readonly accepts?: (secret: string) => boolean;
}

/** In order of precision: where two match the same text, the first one counts. */
export const secretDetectors: readonly SecretDetector[] = [
  {
    id: "private-key",
    title: "Private key",
    pattern:
      /-----BEGIN (?:[A-Z]+ ){0,3}PRIVATE KEY-----[A-Za-z0-9+/=\s:,]{0,16384}(?:-----END (?:[A-Z]+ ){0,3}PRIVATE KEY-----)?/g,
  },
  {
    id: "aws-access-key-id",
    title: "AWS access key id",
    pattern: /\b(?:AKIA|ASIA|AGPA|AIDA|AROA|ANPA)[A-Z0-9]{16}\b/g,
  },
  {
    id: "aws-secret-access-key",
    title: "AWS secret access key",
    pattern:
      /aws[\w .-]{0,24}secret[\w .-]{0,24}["']?\s{0,4}[:=]\s{0,4}["']?([A-Za-z0-9/+]{40})(?![A-Za-z0-9/+=])/gi,
  },
  { id: "github-token", title: "GitHub token", pattern: /\bgh[pousr]_[A-Za-z0-9]{36,255}\b/g },
  {
    id: "github-fine-grained-token",
    title: "GitHub fine-grained token",
    pattern: /\bgithub_pat_[A-Za-z0-9_]{22,255}\b/g,
  },
  { id: "gitlab-token", title: "GitLab token", pattern: /\bglpat-[A-Za-z0-9_-]{20,64}/g },
  { id: "slack-token", title: "Slack token", pattern: /\bxox[abeoprs]-[A-Za-z0-9-]{10,250}/g },
  {
    id: "slack-webhook",
    title: "Slack webhook URL",
    pattern: /https:\/\/hooks\.slack\.com\/services\/T[A-Z0-9]{6,12}\/B[A-Z0-9]{6,12}\/[A-Za-z0-9]{20,32}/g,
  },
  { id: "anthropic-api-key", title: "Anthropic API key", pattern: /\bsk-ant-[A-Za-z0-9_-]{20,200}/g },
  {
    id: "openai-api-key",
    title: "OpenAI API key",
    pattern: /\bsk-(?:proj-|svcacct-)?[A-Za-z0-9_-]{20,200}/g,
  },
  { id: "google-api-key", title: "Google API key", pattern: /\bAIza[A-Za-z0-9_-]{35}/g },
  {
    id: "stripe-secret-key",
    title: "Stripe secret key",
    pattern: /\b[sr]k_(?:live|test)_[A-Za-z0-9]{16,128}\b/g,
  },
  { id: "npm-token", title: "npm access token", pattern: /\bnpm_[A-Za-z0-9]{36}\b/g },
  { id: "pypi-token", title: "PyPI token", pattern: /\bpypi-AgE[A-Za-z0-9_-]{50,250}/g },
  { id: "huggingface-token", title: "Hugging Face token", pattern: /\bhf_[A-Za-z0-9]{30,64}\b/g },
  {
    id: "sendgrid-api-key",
    title: "SendGrid API key",
    pattern: /\bSG\.[A-Za-z0-9_-]{16,32}\.[A-Za-z0-9_-]{32,64}/g,
  },
  {
    id: "digitalocean-token",
    title: "DigitalOcean token",
    pattern: /\bdo[opr]_v1_[a-f0-9]{64}\b/g,
  },
  {
    id: "jwt",
    title: "JSON Web Token",
    pattern: /\beyJ[A-Za-z0-9_-]{8,2048}\.eyJ[A-Za-z0-9_-]{8,8192}\.[A-Za-z0-9_-]{8,1024}/g,
  },
  {
    id: "url-credentials",
    title: "Password in a URL",
    pattern: /\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s/:@"']{1,128}:([^\s/@"']{4,256})@/gi,
    accepts: (secret) => !isPlaceholder(secret),
  },
  {
    id: "secret-assignment",
    title: "Secret in an assignment",
    pattern:
      /(?:api[_-]?key|secret|token|passw(?:or)?d|credential)s?["']?\s{0,4}[:=]\s{0,4}["']([^\s"']{12,200})["']/gi,
    accepts: (secret) => looksRandom(secret) && !isPlaceholder(secret),
  },
];

/** `${TOKEN}`, `<password>`, `{{secret:X}}`, `xxxx`, `****`: a place for a secret. */
function isPlaceholder(text: string): boolean {
  return /[${<]|\}\}|^(?:x+|\*+|\.+)$|example|placeholder|changeme|your[_-]/i.test(text);
}

/** Bits of information per character from which a text looks random rather than written. */
const randomFrom = 3.2;

function looksRandom(text: string): boolean {
  const counts = new Map<string, number>();
  for (const char of text) counts.set(char, (counts.get(char) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= (count / text.length) * Math.log2(count / text.length);
  return bits >= randomFrom && /\d/.test(text);
}
