import type { Delivery, WebhookInput } from "../../client/index.ts";
import type { Flag } from "../../config/flag.ts";
import { webhookLimits } from "../../contract/webhooks/webhook.ts";
import { parseEventId, parseTypes, typeFilters } from "./event-flags.ts";
import { combineFilters, filterFlag } from "./filter-flag.ts";

export const webhookIdFlag = {
  flag: "id",
  form: "word",
  takes: "the id of a webhook, as `roster webhooks list` shows it",
  about: "The id of the webhook: see `roster webhooks list`.",
  parse(text: string): number {
    if (!/^[1-9]\d{0,15}$/.test(text)) throw new RangeError(text);
    return Number(text);
  },
} as const satisfies Flag<number>;

export const deliveryIdFlag = {
  flag: "delivery",
  form: "word",
  takes: "the id of a delivery, as `roster webhooks deliveries` shows it",
  about: "The id of the delivery, which is that of its event.",
  parse: parseEventId,
} as const satisfies Flag<string>;

const states = ["waiting", "delivered", "failed"] as const satisfies readonly Delivery["state"][];

export const deliveryStateFlag = {
  flag: "state",
  default: "",
  choices: states,
  takes: states.join(", "),
  about: "Only deliveries in this state.",
  parse(text: string) {
    const state = states.find((each) => each === text);
    if (text !== "" && !state) throw new RangeError(text);
    return state;
  },
} as const satisfies Flag<Delivery["state"] | undefined>;

type TypePattern = WebhookInput["types"][number];

const typePatterns: readonly TypePattern[] = [...typeFilters, "*"];

/** Removes the filter of a webhook. */
const NO_FILTER = "none";

/** Flags for the fields of a webhook that can be omitted. */
export const webhookFlags = {
  types: {
    flag: "type",
    form: "list",
    default: "",
    choices: typePatterns,
    takes: `types separated by commas: ${typePatterns.join(", ")}`,
    about: "Send only events of these types, such as user.created or user.*.",
    parse: (text) => parseTypes(text, typePatterns),
  },
  filter: {
    ...filterFlag,
    takes: `a filter expression, such as 'department eq "sales"', or ${NO_FILTER}`,
    about: `Send only events whose record matches an expression, such as 'department eq "sales"'.`,
  },
  description: {
    flag: "description",
    default: "",
    takes: `at most ${webhookLimits.descriptionCharacters} characters`,
    about: "What the webhook is for.",
    parse: (text, source) => (source === "default" ? undefined : text),
  },
} as const satisfies Record<string, Flag<unknown>>;

/** The flags that are set, as fields of a webhook. Throws a `ConfigError` if the filter is not valid. */
export function toWebhookFields({
  types,
  filter,
  description,
}: {
  readonly types: readonly TypePattern[] | undefined;
  readonly filter: readonly string[];
  readonly description: string | undefined;
}): Pick<Partial<WebhookInput>, "types" | "filter" | "description"> {
  const expression = filter.length === 1 && filter[0] === NO_FILTER ? null : combineFilters(filter);
  return {
    ...(types && { types }),
    ...(expression !== undefined && { filter: expression }),
    ...(description !== undefined && { description }),
  };
}

/** The service checks the URL. */
export function parseWebhookUrl(text: string): string {
  if (!/^https?:\/\//.test(text)) throw new RangeError(text);
  return text;
}
