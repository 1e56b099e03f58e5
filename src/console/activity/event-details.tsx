import { Fragment } from "react";
import { Link } from "wouter";
import type { RosterEvent } from "../../client/index.ts";
import { activity } from "../texts/activity.ts";
import { formatNumber } from "../texts/format.ts";
import { CopyButton } from "../ui/copy-button.tsx";
import { Delta } from "../ui/delta.tsx";
import { Fact } from "../ui/fact.tsx";
import { Timestamp } from "../ui/timestamp.tsx";
import { useUserNames } from "../users/user-names.ts";
import {
  actorFilter,
  type ChangedMembers,
  changedMembers,
  eventFieldLabel,
  subjectFilter,
} from "./describe-event.ts";
import { formatActivityFilters } from "./event-filters.ts";
import { Member } from "./member.tsx";
import { FieldValue, RecordTable } from "./record-table.tsx";

const texts = activity.details;

interface EventDetailsProps {
  readonly event: RosterEvent;
  /** Whether to link to other events. */
  readonly hasLinks: boolean;
}

/** The values before and after a change, and where the change came from. */
export function EventDetails({ event, hasLinks }: EventDetailsProps) {
  const { changes, record, subject, actor } = event;
  const isUpdate = Object.keys(changes).length > 0;
  const isDeleted = event.type === "user.deleted";
  const members = changedMembers(event);
  const labelOf = (field: string) => eventFieldLabel(subject, field);
  return (
    <div className="event-details">
      {members ? (
        <Members members={members} />
      ) : isUpdate ? (
        <Changes changes={changes} labelOf={labelOf} />
      ) : record === null ? (
        <p className="hint">{texts.erased}</p>
      ) : (
        <RecordTable record={record} caption={isDeleted ? texts.deleted : texts.created} labelOf={labelOf} />
      )}
      <dl className="event-facts">
        <Fact label={activity.filters.period}>
          <Timestamp iso={event.time} form="exact" />
        </Fact>
        {event.version !== null && <Fact label={texts.version}>{formatNumber(event.version)}</Fact>}
        <Fact label={texts.id}>
          <code>{event.id}</code>
        </Fact>
        {event.requestId !== null && (
          <Fact label={texts.request}>
            <code>{event.requestId}</code>
          </Fact>
        )}
      </dl>
      <div className="actions">
        {hasLinks && (
          <>
            {subject.type === "user" && <UserLink event={event} />}
            {subject.type === "group" && event.type !== "group.deleted" && (
              <Link href={`/groups/${subject.id}`}>{texts.openGroup}</Link>
            )}
            <Link href={`/activity${formatActivityFilters({ subject: subjectFilter(event) })}`}>
              {texts.allOf[subject.type]}
            </Link>
            {actor.type === "key" && (
              <Link href={`/activity${formatActivityFilters({ actor: actorFilter(actor) })}`}>
                {texts.allOfActor}
              </Link>
            )}
          </>
        )}
        <CopyButton text={JSON.stringify(event, null, 2)} label={texts.copy} />
      </div>
    </div>
  );
}

function UserLink({ event: { type, subject } }: { readonly event: RosterEvent }) {
  if (type === "user.purged") return null;
  if (type === "user.deleted") return <Link href="/deleted">{texts.openDeleted}</Link>;
  return <Link href={`/users/${subject.id}`}>{texts.open}</Link>;
}

/** The first members of a change: it can have a thousand. */
const SHOWN_MEMBERS = 20;

function Members({ members }: { readonly members: ChangedMembers }) {
  const lists = [
    { label: texts.members.added, ids: members.added.slice(0, SHOWN_MEMBERS), count: members.added.length },
    {
      label: texts.members.removed,
      ids: members.removed.slice(0, SHOWN_MEMBERS),
      count: members.removed.length,
    },
  ];
  useUserNames(lists.flatMap(({ ids }) => ids));
  return (
    <table className="values">
      <tbody>
        {lists.map(
          ({ label, ids, count }) =>
            count > 0 && (
              <tr key={label}>
                <th scope="row">{label}</th>
                <td>
                  {ids.map((id, index) => (
                    <Fragment key={id}>
                      {index > 0 && ", "}
                      <Member id={id} />
                    </Fragment>
                  ))}
                  {count > ids.length && ` ${texts.members.more(count - ids.length)}`}
                </td>
              </tr>
            ),
        )}
      </tbody>
    </table>
  );
}

interface ChangesProps extends Pick<RosterEvent, "changes"> {
  readonly labelOf: (field: string) => string;
}

function Changes({ changes, labelOf }: ChangesProps) {
  return (
    <table className="values">
      <thead>
        <tr>
          <th scope="col">{texts.field}</th>
          <th scope="col">{texts.change}</th>
        </tr>
      </thead>
      <tbody>
        {Object.entries(changes).map(([field, { from, to }]) => (
          <tr key={field}>
            <th scope="row">{labelOf(field)}</th>
            <td>
              <Delta from={<FieldValue value={from} />} to={<FieldValue value={to} />} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
