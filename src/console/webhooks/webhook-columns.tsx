import type { Webhook } from "../../client/index.ts";
import { webhooks as texts } from "../texts/webhooks.ts";
import type { ListColumn } from "../ui/list-table.tsx";
import { EventTypeLine } from "./event-types.tsx";
import { StateBadge } from "./state-badge.tsx";

export const webhookColumns: readonly ListColumn<Webhook>[] = [
  {
    title: texts.facts.url,
    width: "minmax(12rem, 2fr)",
    cell: ({ url }) => <span title={url}>{url}</span>,
  },
  { title: texts.state, cell: (webhook) => <StateBadge webhook={webhook} /> },
  {
    title: texts.facts.description,
    width: "minmax(6rem, 1fr)",
    cell: ({ description }) =>
      description === "" ? (
        <span className="none">–</span>
      ) : (
        <span title={description} dir="auto">
          {description}
        </span>
      ),
  },
  {
    title: texts.facts.types,
    width: "minmax(8rem, 1fr)",
    cell: ({ types }) => <EventTypeLine types={types} />,
  },
];
