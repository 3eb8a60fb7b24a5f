/** Where a program may send requests (builtins.md §2.15). */
import { defineBuiltins } from "../table/index.ts";
import type { Given } from "./arguments.ts";
import { egressPolicy } from "./egress-state.ts";

export const egress = defineBuiltins("egress", {
  egress_policy: {
    doc:
      "Says which hosts the program may talk to: `{allow, deny, default}`, rules being hosts, `*.suffix`, IP addresses and " +
      "networks, each with an optional `:port`. Deny beats allow; holds for mocked calls too. What the environment " +
      "(`HARN_EGRESS_ALLOW`, `HARN_EGRESS_DENY`, `HARN_EGRESS_DEFAULT`) refuses stays refused. Without an argument it tells what holds.",
    sig: "(policy?: dict) -> dict",
    effect: "state",
    performs: true,
    example: 'egress_policy({allow: ["*.a.test"]}).default  // deny',
    run: (task, policy: Given) => egressPolicy(task, policy),
  },
});
