import { OAUTH_PREFIX } from "../../../src/contract/keys/access-token-operations.ts";
import { SCIM_PREFIX } from "../../../src/contract/scim/scim.ts";

/** The paths that share a format of errors. */
export type Area = "scim" | "oauth" | "other";

const NEEDLESS_ENCODING = /%(?:2[de]|3\d|[46][1-9a-f]|[57][0-9a]|5f|7e)/gi;

/** The area of a path as clients send it: with dot segments, and with characters that need no encoding. */
export function areaOf(path: string): Area {
  const { pathname } = URL.parse(`http://localhost${path}`) ?? { pathname: path };
  const plain = pathname.replace(NEEDLESS_ENCODING, decodeURIComponent);
  const isBelow = (prefix: string) => plain === prefix || plain.startsWith(`${prefix}/`);
  if (isBelow(SCIM_PREFIX)) return "scim";
  return isBelow(OAUTH_PREFIX) ? "oauth" : "other";
}
