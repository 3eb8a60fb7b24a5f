/** Where a program may send requests (builtins.md §2.15). */

import { policyScopes } from "../../agent/index.ts";
import { egressPolicy, enterEgressScope } from "../../host/index.ts";
import { defineBuiltins } from "../../table/index.ts";
import { always } from "../../values/index.ts";
import { type Argument, needCallback } from "../arguments.ts";
import { egressFields } from "../rows/http.ts";

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
    fields: { policy: () => egressFields },
    run: (task, policy: Argument) =>
      egressPolicy(task, policy, task.runtime.state(policyScopes).around(task).length > 0),
  },
  with_net_policy: {
    doc:
      "Runs a body under a policy of its own, as `egress_policy` takes it: what the body and its tasks send must agree with " +
      "it and with all that holds already. Also `harness.net.with_net_policy`.",
    sig: "(policy: dict, body: fn() -> any) -> any",
    effect: "state",
    performs: true,
    suspends: "callback",
    example: 'with_net_policy({allow: ["a.test"]}, { -> 1 })  // 1',
    fields: { policy: () => egressFields },
    run: (task, policy: Argument, body: Argument) => {
      const callback = needCallback("with_net_policy", body);
      const leave = enterEgressScope(task, policy ?? null);
      return always(() => callback.call(task, []), leave);
    },
  },
});
