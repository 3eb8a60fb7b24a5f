/** The flags of `harn skill`, declared for commander. */
import type { Command } from "commander";

const command = () => import("./skill-command.ts");

/** Adds `harn skill …`. */
export function addSkillCommands(program: Command, done: (code: number) => void): void {
  const skill = program.command("skill").description("Signs skill files and says whose signatures to trust.");
  const key = skill.command("key").description("Makes keys.");
  key
    .command("generate")
    .description("Writes an Ed25519 key and, beside it, its public half.")
    .argument("<file>", "where the private key goes; the public one gets `.pub` after it")
    .action(async (file: string) => done((await command()).generateKey(file)));
  skill
    .command("sign")
    .description("Signs skills: writes SKILL.md.sig beside each SKILL.md.")
    .argument("<folders...>", "folders with a SKILL.md")
    .requiredOption("--key <file>", "the private key")
    .action(async (folders: string[], options: { key: string }) =>
      done((await command()).signSkills(folders, options.key)),
    );
  skill
    .command("verify")
    .description("Says whether skills are signed, and by somebody who is trusted here.")
    .argument("<folders...>", "folders with a SKILL.md")
    .action(async (folders: string[]) => done(await (await command()).verifySkills(folders)));
  const trust = skill.command("trust").description("The signers whom you trust.");
  trust
    .command("add")
    .description("Trusts a signer.")
    .argument("<file>", "the public key")
    .action(async (file: string) => done((await command()).addTrust(file)));
  trust
    .command("list")
    .description("Lists the fingerprints that are trusted.")
    .action(async () => done((await command()).listTrust()));
}
