import { ScimError } from "../../scim/scim-error.ts";
import { parseParameters } from "../query/query-string.ts";

/** The query parameters with these names, as they were sent. Others are ignored, whatever they are. */
export function readScimQuery<const Name extends string>(
  queryString: string,
  names: readonly Name[],
): { readonly [Each in Name]?: string } {
  const parameters = parseParameters(queryString, (name, detail) => {
    if (names.some((known) => known === name)) throw new ScimError("invalidValue", `${name}: ${detail}`);
    return undefined;
  });
  const read: { [Each in Name]?: string } = {};
  for (const name of names) {
    const [value, ...more] = parameters.get(name) ?? [];
    if (more.length > 0) throw new ScimError("invalidValue", `${name}: Send this parameter once.`);
    if (value !== undefined) read[name] = value;
  }
  return read;
}
