/** What a command line might do, by its words: labels that a policy can ask about. Text work only; nothing is looked up. */

export interface CommandRisk {
  readonly labels: readonly string[];
  /** 0 to 1: how sure the labels are. */
  readonly confidence: number;
  readonly rationale: string;
  readonly action: "allow" | "require_approval" | "deny";
}

interface RiskRule {
  readonly label: string;
  readonly pattern: RegExp;
  readonly why: string;
  readonly confidence: number;
  readonly action: "require_approval" | "deny";
}

const secretFile = String.raw`(?:^|[\s/'"=@])(?:\.env(?:\.[\w-]+)?|id_(?:rsa|ed25519|ecdsa|dsa)|[\w-]+\.pem|\.netrc|\.npmrc|\.pgpass|credentials)(?=$|[\s'";|&)])`;

const rules: readonly RiskRule[] = [
  {
    label: "credential_file_read",
    pattern: new RegExp(`${secretFile}|\\.(?:ssh|aws|gnupg|kube)/`),
    why: "names a file that holds credentials",
    confidence: 0.9,
    action: "deny",
  },
  {
    label: "destructive_delete",
    pattern: /(?:^|[\s;|&])(?:rm\s+(?:-\w*\s+)*-\w*[rRf]|shred|unlink|rmdir\s+\/s|find\b.*\s-delete\b)/,
    why: "deletes files",
    confidence: 0.9,
    action: "require_approval",
  },
  {
    label: "destructive_disk",
    pattern:
      /(?:^|[\s;|&])(?:mkfs(?:\.\w+)?|fdisk|parted|wipefs)\b|\bdd\b.*\bof=\/dev\/|>\s*\/dev\/(?:sd|nvme|disk)/,
    why: "writes to a disk itself",
    confidence: 0.95,
    action: "deny",
  },
  {
    label: "destructive_git",
    pattern:
      /\bgit\s+(?:push\b.*(?:--force|\s-f\b)|reset\s+--hard|clean\s+-\w*f|branch\s+-D|checkout\s+--\s)/,
    why: "throws away work in git",
    confidence: 0.85,
    action: "require_approval",
  },
  {
    label: "curl_pipe_shell",
    pattern: /\b(?:curl|wget)\b[^|]*\|\s*(?:sudo\s+)?(?:ba|z|da|k)?sh\b/,
    why: "runs what it downloads",
    confidence: 0.95,
    action: "deny",
  },
  {
    label: "network_access",
    pattern: /(?:^|[\s;|&/])(?:curl|wget|nc|ncat|netcat|ssh|scp|sftp|rsync|telnet|ftp)(?=\s|$)/,
    why: "reaches the network",
    confidence: 0.8,
    action: "require_approval",
  },
  {
    label: "privilege_escalation",
    pattern: /(?:^|[\s;|&])(?:sudo|su|doas|pkexec)(?=\s|$)/,
    why: "asks for more rights",
    confidence: 0.9,
    action: "require_approval",
  },
  {
    label: "permission_change",
    pattern: /(?:^|[\s;|&])(?:chmod|chown|chgrp)\s/,
    why: "changes rights of files",
    confidence: 0.7,
    action: "require_approval",
  },
];

/** What the scanner can't look into. */
export interface OpaqueCommand {
  /** What runs is known only when it runs. */
  readonly unknown: boolean;
  /** Code for an interpreter stands in the command. */
  readonly code: boolean;
}

const weight = { allow: 0, require_approval: 1, deny: 2 } as const;

/** The risks of a command line, and of what in it can't be looked into: that is nobody's to allow unasked. */
export function riskOf(commandLine: string, unseen: OpaqueCommand): CommandRisk {
  const found = [
    ...rules.filter(({ pattern }) => pattern.test(commandLine)),
    ...unseenRules.filter(({ key }) => unseen[key]),
  ];
  if (found.length === 0) return { labels: [], confidence: 0.5, rationale: "no known risk", action: "allow" };
  const worst = found.reduce((a, b) => (weight[b.action] > weight[a.action] ? b : a));
  return {
    labels: found.map(({ label }) => label),
    confidence: Math.max(...found.map(({ confidence }) => confidence)),
    rationale: found.map(({ why }) => why).join("; "),
    action: worst.action,
  };
}

const unseenRules: readonly (Omit<RiskRule, "pattern"> & { readonly key: keyof OpaqueCommand })[] = [
  {
    key: "code",
    label: "inline_code",
    why: "runs code that stands in the command",
    confidence: 0.6,
    action: "require_approval",
  },
  {
    key: "unknown",
    label: "unknown_command",
    why: "what it runs can't be told before it runs",
    confidence: 0.6,
    action: "require_approval",
  },
];

const secrets: readonly (readonly [string, RegExp])[] = [
  ["private_key_output", /-----BEGIN [A-Z ]*PRIVATE KEY-----/],
  [
    "credential_output",
    /\b(?:AKIA[0-9A-Z]{16}|gh[pousr]_[A-Za-z0-9]{30,}|sk-[A-Za-z0-9_-]{20,}|xox[abpr]-[A-Za-z0-9-]{10,})/,
  ],
  ["permission_denied", /permission denied|operation not permitted/i],
];

/** The risks in what a command printed. */
export function riskOfOutput(text: string): CommandRisk {
  const labels = secrets.filter(([, pattern]) => pattern.test(text)).map(([label]) => label);
  const leaks = labels.some((label) => label.endsWith("_output"));
  if (labels.length === 0) return { labels, confidence: 0.5, rationale: "no known risk", action: "allow" };
  const rationale = leaks ? "the output holds what looks like a credential" : "the system refused something";
  return { labels, confidence: 0.85, rationale, action: leaks ? "deny" : "allow" };
}
