import { createClient } from "../../client/index.ts";
import { ConfigError, readFlags } from "../../config/config.ts";
import type { Command } from "../command.ts";
import { clientOptions, resolveService, serviceFlags, withConfigErrors } from "../flags/service-flags.ts";
import { switchFlag } from "../flags/switch-flag.ts";
import { OfferedTools } from "../mcp/offered-tools.ts";
import { loadSdk } from "../mcp/sdk.ts";
import { serveMcp } from "../mcp/serve-mcp.ts";
import { print } from "../output/print.ts";
import { whoAmI } from "../who-am-i.ts";

const flags = {
  readOnly: switchFlag("read-only", "Offer only the tools that read, whatever the key may do."),
  ...serviceFlags,
} as const;

export const mcp: Command = {
  flags,
  description: `Speaks the Model Context Protocol on stdin and stdout. An AI assistant starts this command, and can then search, count, read, create,
change and delete users, read groups, add and remove their members, and read events: what the scopes of the key allow. Give it a key of its own. See docs/mcp.md.

The npm package needs @modelcontextprotocol/sdk beside it: npm install --global @modelcontextprotocol/sdk. The executable
contains it.`,
  examples: ["roster mcp --read-only", "roster mcp --profile production"],

  async run(args, context) {
    const { readOnly, ...service } = readFlags(flags, args, context.env, "roster mcp --help");
    if (context.stdin.isTTY) {
      throw new ConfigError("An AI assistant starts roster mcp, not a person. See docs/mcp.md.");
    }
    const sdk = await loadSdk();
    const profile = resolveService(service, context.env);
    const client = withConfigErrors(() => createClient(clientOptions(profile, service.timeout)));
    const { key, scopes } = await whoAmI(profile, service.timeout);
    const offered = new OfferedTools(scopes, readOnly);
    const caller = key ? `the key ${key.name}` : "no key";
    const names = offered.tools.map(({ name }) => name).join(", ") || "no tools: the key lacks their scopes";
    print(
      context.stderr,
      `Connected to ${profile.url} with ${caller}${readOnly ? ", read-only" : ""}: ${names}.`,
    );
    await serveMcp(context, sdk, client, offered);
  },
};
