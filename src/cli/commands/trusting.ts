/** Commands that say whom to trust. */
import { needed, path } from "../../host/command/flags.ts";
import { trustFlags } from "../flags/trusting.ts";
import { type Command, command } from "./command.ts";

export const trusting: readonly Command[] = [
  command({
    name: "skill",
    summary: "Signs skill files and says whose signatures to trust.",
    readme: [["`harn skill sign FOLDER`", "signs skills, says whose signatures to trust; `docs/skills.md`"]],
  }),
  command({
    name: "skill key",
    summary: "Makes keys.",
  }),
  command({
    name: "skill key generate",
    summary: "Writes an Ed25519 key and, beside it, its public half.",
    args: [["<file>", "where the private key goes; the public one gets `.pub` after it"]],
    examples: ["harn skill key generate me.pem"],
    run: async ([file]) => (await import("../skill/skill-command.ts")).generateKey(file),
  }),
  command({
    name: "skill sign",
    summary: "Signs skills: writes SKILL.md.sig beside each SKILL.md.",
    args: [["<folders...>", "folders with a SKILL.md"]],
    flags: {
      key: needed(path("file", "the private key")),
    },
    examples: ["harn skill sign --key me.pem skills/review"],
    run: async ([folders], { key }) => (await import("../skill/skill-command.ts")).signSkills(folders, key),
  }),
  command({
    name: "skill verify",
    summary: "Says whether skills are signed, and by somebody who is trusted here.",
    args: [["<folders...>", "folders with a SKILL.md"]],
    examples: ["harn skill verify skills/review"],
    run: async ([folders]) => (await import("../skill/skill-command.ts")).verifySkills(folders),
  }),
  command({
    name: "skill trust",
    summary: "The signers whom you trust.",
  }),
  command({
    name: "skill trust add",
    summary: "Trusts a signer.",
    args: [["<file>", "the public key"]],
    examples: ["harn skill trust add me.pem.pub"],
    run: async ([file]) => (await import("../skill/skill-command.ts")).addTrust(file),
  }),
  command({
    name: "skill trust list",
    summary: "Lists the fingerprints that are trusted.",
    examples: ["harn skill trust list"],
    run: async () => (await import("../skill/skill-command.ts")).listTrust(),
  }),
  command({
    name: "trust",
    summary:
      "Agrees to the addresses that a project's harn.toml gives to providers: keys go there from now on.",
    args: [["[folder]", "of the project", { preset: "." }]],
    flags: trustFlags,
    readme: [
      [
        "`harn trust [FOLDER]`",
        "agrees to where a project's `harn.toml` sends your keys, once; `docs/providers.md`",
      ],
    ],
    examples: ["harn trust", "harn trust --list"],
    run: async ([folder], flags) => (await import("../trust/trust-command.ts")).trustCommand(folder, flags),
  }),
];
