import type { Delivery, DeliveryAttempt } from "../../client/index.ts";
import { formatNumber } from "../texts/format.ts";
import { deliveries as texts } from "../texts/webhooks.ts";
import { CircleAlert, CircleCheck, Clock, type Icon } from "../ui/icons.ts";
import type { ListColumn } from "../ui/list-table.tsx";
import { Timestamp } from "../ui/timestamp.tsx";
import { typeLabel } from "./event-types.tsx";
import { SubjectName, subjectText } from "./subject-name.tsx";

const marks: Record<Delivery["state"], readonly [Icon, style: string]> = {
  delivered: [CircleCheck, "good"],
  waiting: [Clock, "soon"],
  failed: [CircleAlert, "bad"],
};
const { columns } = texts;

export const deliveryColumns: readonly ListColumn<Delivery>[] = [
  {
    title: columns.type,
    width: "minmax(8rem, 1fr)",
    cell: ({ type }) => <span className="list-name">{typeLabel(type)}</span>,
  },
  {
    title: columns.subject,
    cell: ({ subject }, tabIndex) => <SubjectName subject={subject} tabIndex={tabIndex} />,
  },
  { title: columns.state, cell: ({ state }) => <DeliveryState state={state} /> },
  {
    title: columns.result,
    cell: ({ attempts }) => {
      const last = attempts.at(-1);
      return last ? resultOf(last) : <span className="none">{texts.noAttempts}</span>;
    },
  },
  {
    title: columns.attempts,
    isOptional: true,
    cell: ({ attempts }) => <span className="figure">{formatNumber(attempts.length)}</span>,
  },
  {
    title: columns.last,
    cell: ({ attempts }) => {
      const last = attempts.at(-1);
      return last ? <Timestamp iso={last.time} /> : <None />;
    },
  },
  {
    title: columns.next,
    width: "minmax(7rem, max-content)",
    cell: ({ state, nextAttemptAt }) => {
      if (nextAttemptAt !== null) return <Timestamp iso={nextAttemptAt} />;
      return state === "waiting" ? <span title={texts.blockedHint}>{texts.blocked}</span> : <None />;
    },
  },
];

/** Names a delivery for its controls. */
export function nameOf({ type, subject }: Delivery): string {
  return `${typeLabel(type)} · ${subjectText(subject)}`;
}

export function resultOf({ status }: DeliveryAttempt): string {
  return status === null ? texts.noResponse : texts.status(status);
}

function DeliveryState({ state }: Pick<Delivery, "state">) {
  const [Icon, style] = marks[state];
  return (
    <span className={`badge ${style}`}>
      <Icon aria-hidden />
      {texts.states[state]}
    </span>
  );
}

function None() {
  return <span className="none">–</span>;
}
