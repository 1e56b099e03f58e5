import { queryOptions } from "@tanstack/react-query";
import { ApiError } from "../../client/index.ts";
import { isObject } from "../../contract/json.ts";
import { SCIM_PREFIX } from "../../contract/scim/scim.ts";
import { request } from "../lib/api.ts";

const CONFIG_PATH = `${SCIM_PREFIX}/ServiceProviderConfig`;

/** The address of SCIM for providers, such as https://roster.example/scim/v2. Null if the service does not offer SCIM. */
export const baseUrlQuery = queryOptions({
  queryKey: ["scim", "base-url"],
  queryFn: async ({ signal }): Promise<string | null> => {
    try {
      return toBaseUrl(await request(CONFIG_PATH, { signal }));
    } catch (error) {
      if (error instanceof ApiError && error.status === 404) return null;
      throw error;
    }
  },
});

/** The description has its own URL, which follows ROSTER_PUBLIC_URL. */
function toBaseUrl(description: unknown): string {
  const meta = isObject(description) ? description.meta : undefined;
  const place = isObject(meta) ? meta.location : undefined;
  if (typeof place !== "string") throw new TypeError(`Unexpected response from ${CONFIG_PATH}.`);
  const { href } = new URL(place, location.origin);
  return href.slice(0, -"/ServiceProviderConfig".length);
}
