import { statsDays } from "../contract/stats-schemas.ts";
import { parseId } from "./query/ids.ts";
import { invalidQuery, readQueryString } from "./query/query-string.ts";
import type { RequestContext } from "./request-context.ts";

/** The parameter `days`, the only one that the request can have. Throws `invalid-query`. */
export function readDays({ url }: RequestContext): number {
  const parameters = new URLSearchParams(readQueryString(url));
  for (const name of parameters.keys()) {
    if (name !== "days") throw invalidQuery([{ parameter: name, detail: "Unknown parameter." }]);
  }
  const [text, ...more] = parameters.getAll("days");
  if (more.length > 0) throw invalidQuery([{ parameter: "days", detail: "Send this parameter once." }]);
  const days = text === undefined ? statsDays.default : parseId(text);
  if (days === undefined || days > statsDays.maximum) {
    const detail = `Enter an integer from 1 to ${statsDays.maximum}.`;
    throw invalidQuery([{ parameter: "days", detail }]);
  }
  return days;
}
