import type { Page } from "playwright-core";

/** What a picture shows. */
export interface View {
  readonly path: string;
  /** Steps before the screenshot. */
  readonly prepare?: (page: Page) => Promise<unknown>;
  /** Whose key is used. Default: that of the administrator. */
  readonly as?: "administrator" | "reader" | "nobody";
  /** A service without any users, keys, webhooks and events, besides those of the key. */
  readonly onEmptyService?: boolean;
  /** Requests that get no response, as a pattern of addresses. */
  readonly hold?: string;
  /** Requests that get the status 500. */
  readonly fail?: string;
}
