import { connectToService } from "./connect.ts";
import type { PartOptions, ScimPart } from "./part.ts";
import { comparePatches, Findings } from "./patch-oracle/compare-patches.ts";
import { ComputedUser, ServedUser } from "./patch-oracle/patched-user.ts";

/** Patches that the functions of `src/scim` apply without a service, and those that a service applies. */
const COMPUTED = 4000;
const SERVED = 400;

export const patchOracle: ScimPart = {
  name: "patch-oracle",
  about: "Random patches have the same effect as with scim-patch, apart from known differences.",
  run,
};

async function run(options: PartOptions): Promise<readonly string[]> {
  const scim = await connectToService(options);
  const { seed } = options;
  const [computed, served] = [new Findings(), new Findings()];
  const failures = [
    await comparePatches(async (body) => new ComputedUser(body), { seed, patches: COMPUTED }, computed),
    await comparePatches(
      (body) => ServedUser.create(scim, body),
      { seed: seed + 1, patches: SERVED },
      served,
    ),
  ];
  console.log(`Without a service: ${computed.describe()}`);
  console.log(`By HTTP: ${served.describe()}`);
  return [...failures.flat(), ...computed.unseen.map((name) => `No patch shows the difference "${name}".`)];
}
