import type { DeletedUser, EventActor } from "../../client/index.ts";
import { actorLabel } from "../activity/describe-event.ts";
import { deletedUsers as texts } from "../texts/deleted.ts";
import type { ListColumn } from "../ui/list-table.tsx";
import { Timestamp } from "../ui/timestamp.tsx";

interface DeletedColumns {
  readonly deletedDays: number;
  /** Who deleted each user, by the id of the user. Undefined if unknown. */
  readonly deleters: ReadonlyMap<number, EventActor> | undefined;
}

const DAY = 86_400_000;
/** The date of the erasure stands out when less time remains. */
const SOON_DAYS = 4;

export function deletedColumns({
  deletedDays,
  deleters,
}: DeletedColumns): readonly ListColumn<DeletedUser>[] {
  const { columns } = texts;
  return [
    {
      title: columns.name,
      width: "minmax(9rem, 1fr)",
      cell: ({ name }) => (
        <span className="list-name" title={name} dir="auto">
          {name}
        </span>
      ),
    },
    {
      title: columns.email,
      width: "minmax(9rem, 1.2fr)",
      cell: ({ email }) =>
        email === undefined ? (
          <span className="none">{texts.noEmail}</span>
        ) : (
          <span title={email} dir="auto">
            {email}
          </span>
        ),
    },
    { title: columns.id, isOptional: true, cell: ({ id }) => <span className="figure">{id}</span> },
    { title: columns.deleted, cell: ({ deletedAt }) => <Timestamp iso={deletedAt} /> },
    {
      title: columns.deletedBy,
      width: "minmax(5rem, auto)",
      cell: ({ id }) => {
        const deleter = deleters?.get(id);
        return deleter ? actorLabel(deleter) : <span className="none">–</span>;
      },
    },
    { title: columns.erasure, cell: ({ deletedAt }) => <Erasure deletedAt={deletedAt} days={deletedDays} /> },
  ];
}

function Erasure({ deletedAt, days }: { readonly deletedAt: string; readonly days: number }) {
  const time = Date.parse(deletedAt) + days * DAY;
  const iso = new Date(time).toISOString();
  const isSoon = time - Date.now() < SOON_DAYS * DAY;
  return (
    <span className={isSoon ? "badge soon" : "none"}>
      <Timestamp iso={iso} form="day" />
    </span>
  );
}
