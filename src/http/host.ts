import { isLoopback } from "../config.ts";

/**
 * Tells requests that name this machine itself from others. A page on the web can make its own name lead to 127.0.0.1,
 * but it cannot make the browser say another name than its own: that is how such a page is told from a local caller.
 */
export class HostCheck {
  /** How the URL of the last good request began: most requests are made as the one before. */
  #good = "none";

  isLocal(request: Request): boolean {
    if (request.url.startsWith(this.#good)) return true;
    const host = request.headers.get("host");
    if (host === null || !isLoopback(host.replace(/:\d+$/, ""))) return false;
    this.#good = `http://${host}/`;
    return true;
  }
}
