import type { Key } from "../../client/index.ts";
import { keys as texts } from "../texts/index.ts";
import type { ListColumn } from "../ui/list-table.tsx";
import { Timestamp } from "../ui/timestamp.tsx";
import { ScopeLine } from "./key-scopes.tsx";
import { type KeyState, keyState } from "./queries.ts";
import { Usage } from "./usage.tsx";

interface MarkedKeys {
  /** The key that was created in this view. */
  readonly newKeyId: number | undefined;
  /** The key of the session. */
  readonly currentId: number | undefined;
}

const badgeStyles: Record<KeyState, string> = {
  active: "good",
  expiring: "soon",
  expired: "bad",
  revoked: "bad",
};

export function keyColumns({ newKeyId, currentId }: MarkedKeys): readonly ListColumn<Key>[] {
  return [
    {
      title: texts.name,
      width: "minmax(9rem, 1.6fr)",
      cell: ({ id, name }) => (
        <>
          <span className="list-name" title={name} dir="auto">
            {name}
          </span>
          {id === currentId && (
            <span className="badge" title={texts.youHint}>
              {texts.you}
            </span>
          )}
          {id === newKeyId && <span className="badge">{texts.new}</span>}
        </>
      ),
    },
    { title: texts.prefix, isOptional: true, cell: ({ prefix }) => <code>{prefix}…</code> },
    {
      title: texts.state,
      cell: (key) => (
        <span className={`badge ${badgeStyles[keyState(key)]}`}>{texts.states[keyState(key)]}</span>
      ),
    },
    {
      title: texts.scopesTitle,
      width: "minmax(9rem, 1fr)",
      cell: (key) => <ScopeLine scopes={key.scopes} />,
    },
    {
      title: texts.lastUsed,
      cell: ({ lastUsedAt }) => (lastUsedAt === null ? <Never /> : <Timestamp iso={lastUsedAt} />),
    },
    {
      title: texts.expires,
      cell: ({ expiresAt }) => (expiresAt === null ? <Never /> : <Timestamp iso={expiresAt} />),
    },
    { title: texts.usage, cell: ({ usage, quota }) => <Usage usage={usage} quota={quota} /> },
  ];
}

function Never() {
  return <span className="none">{texts.never}</span>;
}
