import type { Environment } from "../config/config.ts";
import { listSettings } from "../config/settings.ts";
import { closestMatch } from "./closest-match.ts";
import { serviceFlags } from "./flags/service-flags.ts";

const PREFIX = "ROSTER_";

/** Kubernetes sets such variables in every container if a service is named roster. */
const KUBERNETES =
  /^ROSTER_(\w+_)?(SERVICE_HOST|SERVICE_PORT(_\w+)?|PORT_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?)$/;

/** One sentence for each variable that looks like a setting, but is ignored: a misspelt one, for example. */
export function findUnknownVariables(env: Environment): string[] {
  const knownVariables = [
    ...listSettings().map(([, setting]) => setting.env),
    serviceFlags.url.env,
    serviceFlags.profile.env,
  ];
  return Object.entries(env)
    .filter(([name]) => name.startsWith(PREFIX) && !knownVariables.includes(name))
    .filter(([name, value]) => !KUBERNETES.test(name) && !(name.endsWith("_PORT") && value?.includes("://")))
    .map(([name]) => {
      const unprefixed = name.slice(PREFIX.length);
      const match = knownVariables.includes(unprefixed) ? unprefixed : closestMatch(name, knownVariables);
      const advice = match === undefined ? "Remove it." : `Did you mean ${match}?`;
      return `${name} in the environment is not a setting. ${advice}`;
    });
}
