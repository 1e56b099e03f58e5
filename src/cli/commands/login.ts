import { text as readAll } from "node:stream/consumers";
import { ConfigError, readFlags } from "../../config/config.ts";
import type { Session } from "../../contract/keys/key-schemas.ts";
import { isSecret } from "../../contract/keys/key-secret.ts";
import type { Command, CommandContext } from "../command.ts";
import { loginFlags, parseUrl, serviceFlags } from "../flags/service-flags.ts";
import { print, printSuccess } from "../output/print.ts";
import { printable } from "../output/printable.ts";
import { type Profile, profilesPath, readProfiles, writeProfiles } from "../profiles.ts";
import { promptHidden, promptLine } from "../prompt.ts";
import { whoAmI } from "../who-am-i.ts";

export const login: Command = {
  flags: loginFlags,
  description: `Asks for the URL of the service and an API key, checks them, and stores both as a profile. Without a terminal, reads the
key from stdin. Commands that call a service then use the profile: the one called default, or the one in --profile or
ROSTER_PROFILE. --url, and the variables ROSTER_URL and ROSTER_API_KEY, take precedence. The key of a profile is only
sent to the URL of the profile. Only you can read the file with the profiles.`,
  examples: [
    "roster login",
    "roster login https://users.example --profile production",
    "roster login https://users.example < /run/secrets/roster-key",
  ],

  async run(args, context) {
    const { profile, url, insecure, timeout } = readFlags(
      loginFlags,
      args,
      context.env,
      "roster login --help",
    );
    const { env, stderr } = context;
    const profiles = readProfiles(env);
    const previous = profiles.get(profile.value);
    const chosenUrl =
      url.source === "default" ? await readUrl(context, previous?.url ?? url.value) : url.value;
    const key = await readKey(context);
    const service: Profile = {
      url: chosenUrl,
      ...(key !== "" && { key }),
      ...(insecure && { insecure }),
    };
    const caller = await whoAmI(service, timeout);
    writeProfiles(env, new Map([...profiles, [profile.value, service]]));
    printSuccess(stderr, printable(`Signed in to ${service.url}${describeCaller(caller)}.`));
    print(stderr, `Saved as profile ${profile.value} in ${profilesPath(env)}.`);
    for (const { env: name } of [serviceFlags.url, serviceFlags.apiKey]) {
      if (env[name])
        print(
          stderr,
          `${name} is set, and takes precedence over the profile: to use it, add --profile ${profile.value}.`,
        );
    }
  },
};

async function readUrl(context: CommandContext, suggestion: string): Promise<string> {
  if (!isInteractive(context))
    throw new ConfigError(
      "Not a terminal: add the URL of the service, as in roster login https://users.example",
    );
  const answer = (await promptLine(context, `URL of the service [${suggestion}]:`))?.trim() || suggestion;
  try {
    return parseUrl(answer);
  } catch {
    throw new ConfigError(`${printable(answer)} is invalid. Use ${loginFlags.url.takes}.`);
  }
}

/** The key, or "" for none. Throws a `ConfigError` if it is not a key. */
async function readKey(context: CommandContext): Promise<string> {
  const question = "API key (hidden; leave it empty if the service requires none):";
  const text = isInteractive(context) ? await promptHidden(context, question) : await readAll(context.stdin);
  const key = text.trim();
  if (key !== "" && !isSecret(key)) {
    throw new ConfigError(
      "This is not an API key. A key starts with roster_. Create one with: roster keys create",
    );
  }
  return key;
}

function isInteractive({ stdin, stderr }: CommandContext): boolean {
  return stdin.isTTY && stderr.isTTY;
}

function describeCaller({ key, scopes }: Session): string {
  return key ? ` with the key ${key.name} (${scopes.join(", ")})` : ", which requires no key";
}
