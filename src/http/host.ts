import { isLoopback } from "../config.ts";

let lastGood: string | null = null;

/**
 * Whether a Host header names this machine itself. A page on the web can make its own name lead to 127.0.0.1, but it
 * cannot make the browser say another name than its own: that is how such a page is told from a local caller.
 */
export function isLoopbackHost(host: string | null): boolean {
  if (host === null) return false;
  if (host === lastGood) return true;
  const good = isLoopback(host.replace(/:\d+$/, ""));
  if (good) lastGood = host;
  return good;
}
