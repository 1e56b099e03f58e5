import { useInfiniteQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { CreatedKey, Key } from "../../client/index.ts";
import { useCommands } from "../lib/commands.ts";
import { useCreationRequest } from "../lib/creation-request.ts";
import { type CurrentSession, useSession } from "../lib/session.ts";
import { formatNumber } from "../texts/format.ts";
import { keys as texts } from "../texts/index.ts";
import { Button } from "../ui/button.tsx";
import { KeyRound, Plus } from "../ui/icons.ts";
import { EmptyState } from "../ui/states.tsx";
import { View } from "../ui/view.tsx";
import { KeyList } from "./key-list.tsx";
import { ManageWithCli } from "./manage-with-cli.tsx";
import { NewKey } from "./new-key.tsx";
import { isActive, keysQuery, withNewestFirst } from "./queries.ts";
import { ReplaceKey } from "./replace-key.tsx";
import { RevokeKey } from "./revoke-key.tsx";
import { SecretModal } from "./secret-modal.tsx";
import { UsageChart } from "./usage-chart.tsx";

/** Lists, creates, replaces and revokes API keys. */
export default function KeysView() {
  const session = useSession();
  return session ? <Keys session={session} /> : null;
}

/** The open dialog. The secret of a key that replaces another is stored only here, while the dialog shows it. */
type Open =
  | { readonly what: "create" }
  | { readonly what: "usage" | "replace" | "revoke"; readonly item: Key }
  | {
      readonly what: "secret";
      readonly created: Key;
      readonly secret: string;
      readonly replacesOwn: boolean;
    };

function Keys({ session }: { readonly session: CurrentSession }) {
  const [open, setOpen] = useState<Open>();
  const [newKey, setNewKey] = useState<Key>();
  const list = useInfiniteQuery(keysQuery);
  const { hasNextPage } = list;
  const keys = withNewestFirst(list.data?.pages.flatMap(({ keys }) => keys) ?? [], newKey);
  const activeKeys = keys.filter(isActive);

  const close = () => setOpen(undefined);
  const save = (created: Key) => {
    setNewKey(created);
    close();
  };
  const isCurrent = ({ id }: Key) => id === session.key?.id;
  const isLast = (item: Key) =>
    !hasNextPage &&
    session.key?.id !== 0 &&
    activeKeys.every(({ id, scopes }) => (id === item.id) === scopes.includes("keys:manage"));

  const isEmpty = keys.length === 0;
  const openForm = () => setOpen({ what: "create" });
  const canCreate = session.scopes.includes("keys:manage");
  useCreationRequest("key", openForm);
  useCommands(
    "keys",
    canCreate ? [{ id: "new-key", label: texts.newKey, icon: KeyRound, run: openForm }] : [],
  );
  const create = (
    <Button kind="primary" icon={<Plus aria-hidden />} onClick={openForm}>
      {texts.newKey}
    </Button>
  );
  return (
    <View
      name="keys"
      title={texts.title}
      count={isEmpty || hasNextPage ? undefined : texts.count(formatNumber(activeKeys.length))}
      aside={!isEmpty && create}
    >
      {list.error && isEmpty && session.auth === "off" ? (
        <ManageWithCli error={list.error} />
      ) : (
        <KeyList
          keys={list.data && keys}
          newKeyId={newKey?.id}
          currentId={session.key?.id}
          query={list}
          actions={{
            onUsage: (item) => setOpen({ what: "usage", item }),
            onReplace: (item) => setOpen({ what: "replace", item }),
            onRevoke: (item) => setOpen({ what: "revoke", item }),
          }}
          empty={
            <EmptyState
              icon={KeyRound}
              title={texts.empty.title}
              text={session.auth === "open" ? texts.empty.open : texts.empty.text}
            >
              {create}
            </EmptyState>
          }
        />
      )}
      {open?.what === "usage" && <UsageChart item={open.item} onClose={close} />}
      {open?.what === "create" && <NewKey session={session} onSaved={save} onClose={close} />}
      {open?.what === "replace" && (
        <ReplaceKey
          item={open.item}
          isCurrent={isCurrent(open.item)}
          needsKey={session.auth === "session"}
          onCreated={({ key: secret, ...created }: CreatedKey) =>
            setOpen({ what: "secret", created, secret, replacesOwn: isCurrent(open.item) })
          }
          onClose={close}
        />
      )}
      {open?.what === "revoke" && (
        <RevokeKey
          item={open.item}
          isCurrent={isCurrent(open.item)}
          isLastManager={isLast(open.item)}
          onClose={close}
        />
      )}
      {open?.what === "secret" && (
        <SecretModal
          name={open.created.name}
          secret={open.secret}
          signInReason={open.replacesOwn ? "replaced" : undefined}
          onSaved={() => save(open.created)}
        />
      )}
    </View>
  );
}
