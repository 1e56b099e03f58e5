import { isLoopback } from "../config/config.ts";

/**
 * Tells requests that name this machine itself from others. A page on the web can make its own name lead to 127.0.0.1,
 * but it cannot make the browser say another name than its own: that is how such a page is told from a local caller.
 */
export class HostCheck {
  /** The last good one: most requests name the same as the one before. */
  #good: string | undefined;

  isLocal(request: Request): boolean {
    const host = request.headers.get("host");
    if (host === null) return false;
    if (host === this.#good) return true;
    if (!isLoopback(host.replace(/:\d+$/, ""))) return false;
    this.#good = host;
    return true;
  }
}
