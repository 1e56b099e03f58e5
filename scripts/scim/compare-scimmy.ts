import { ScimCaller } from "../../test/api/scim/support/scim-caller.ts";
import { callAt } from "../../test/support/call.ts";
import { compareServers } from "./compare-scimmy/compare-servers.ts";
import { startScimmy } from "./compare-scimmy/start-scimmy.ts";
import { connectToService } from "./connect.ts";
import type { PartOptions, ScimPart } from "./part.ts";

export const scimmyComparison: ScimPart = {
  name: "compare-scimmy",
  about: "A server of scimmy answers the same requests in the same way, apart from known differences.",
  run,
};

async function run(options: PartOptions): Promise<readonly string[]> {
  await using scimmy = await startScimmy();
  const withoutKey = new ScimCaller({ call: callAt(scimmy.url) }, "", 0);
  return await compareServers(await connectToService(options), withoutKey);
}
