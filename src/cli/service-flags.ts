import { type Client, createClient } from "../client/index.ts";
import type { Values } from "../config.ts";
import { type Flag, settings } from "../settings.ts";

/** How a command that calls a service is told of it. */
export const serviceFlags = {
  url: {
    flag: "url",
    env: "ROSTER_URL",
    default: "http://127.0.0.1:3000",
    takes: "the address of a service, such as `https://users.example`",
    about: "The service to call.",
    parse: parseUrl,
  },
  apiKey: {
    env: settings.apiKey.env,
    default: "",
    takes: settings.apiKey.takes,
    about: "The key to show, where the service wants one. Never a flag: the command line is for all to see.",
    parse: settings.apiKey.parse,
  },
  timeout: {
    flag: "timeout",
    default: "30",
    takes: "a whole number from 1 to 86400",
    about: "Seconds that a call may take in all, with its retries.",
    parse: parseSeconds,
  },
} as const satisfies Record<string, Flag<unknown>>;

/** The service that the flags name. Errors are told once, by whoever runs the command. */
export function openClient({ url, apiKey, timeout }: Values<typeof serviceFlags>): Client {
  return createClient({
    baseUrl: url,
    timeout: timeout * 1000,
    onError: () => undefined,
    onRetry: () => undefined,
    ...(apiKey !== undefined && { apiKey }),
  });
}

function parseUrl(text: string): string {
  const { protocol } = new URL(text);
  if (protocol !== "http:" && protocol !== "https:") throw new RangeError(text);
  return text;
}

function parseSeconds(text: string): number {
  const seconds = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (seconds < 1 || seconds > 86_400) throw new RangeError(text);
  return seconds;
}
