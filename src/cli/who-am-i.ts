import { hasFields } from "../client/has-fields.ts";
import { ServiceTransport } from "../client/transport/service-transport.ts";
import { ConfigError } from "../config/config.ts";
import type { Session } from "../contract/keys/key-schemas.ts";
import { clientOptions, withConfigErrors } from "./flags/service-flags.ts";
import type { Profile } from "./profiles.ts";

/** What the service knows about the key. Throws an error of the client if it rejects the key. */
export async function whoAmI(service: Profile, timeout: number): Promise<Session> {
  const transport = withConfigErrors(() => new ServiceTransport(clientOptions(service, timeout)));
  const { body } = await transport.call("GET", ["session"]);
  if (hasFields<Session>(body, { auth: "string" })) return body;
  throw new ConfigError(`${service.url} is not a Roster service. Check the URL.`);
}
