import { useInfiniteQuery } from "@tanstack/react-query";
import { KeyRound, Plus } from "lucide-react";
import { useState } from "react";
import type { Key, NewKey } from "../../client/index.ts";
import { useWho, type Who } from "../lib/session.ts";
import { formatNumber } from "../texts/format.ts";
import { keys as texts } from "../texts/index.ts";
import { Button } from "../ui/button.tsx";
import { ErrorState, Forbidden, Loading, EmptyState } from "../ui/states.tsx";
import { View } from "../ui/view.tsx";
import { CreateKey } from "./create-key.tsx";
import { KeyList } from "./key-list.tsx";
import { OnHost } from "./manage-with-cli.tsx";
import { isInForce, keysQuery, withFresh } from "./queries.ts";
import { ReplaceKey } from "./replace-key.tsx";
import { RevokeKey } from "./revoke-key.tsx";
import { SecretModal } from "./secret-modal.tsx";

/** The keys that callers show, for those who manage them. */
export default function KeysView() {
  const who = useWho();
  if (!who) return null;
  if (mayLook(who)) return <Keys who={who} />;
  return (
    <View name="keys" title={texts.title}>
      <Forbidden {...texts.forbidden} />
    </View>
  );
}

/** Where nobody is asked for a key, the service itself says how keys are managed. */
function mayLook({ auth, scopes }: Who): boolean {
  return auth === "off" || scopes.includes("keys:manage");
}

/** What is open over the list. The secret of a key is nowhere but in here, as long as it is shown. */
type Open =
  | { readonly what: "create" }
  | { readonly what: "replace" | "revoke"; readonly item: Key }
  | {
      readonly what: "secret";
      readonly made: Key;
      readonly secret: string;
      readonly needed: "closed" | "own" | undefined;
    };

function Keys({ who }: { readonly who: Who }) {
  const [open, setOpen] = useState<Open>();
  const [fresh, setFresh] = useState<Key>();
  const list = useInfiniteQuery(keysQuery);
  const { hasNextPage } = list;
  const all = withFresh(list.data?.pages.flatMap(({ keys }) => keys) ?? [], fresh);
  const inForce = all.filter(isInForce);

  const close = () => setOpen(undefined);
  const show = ({ key: secret, ...made }: NewKey, needed: "closed" | "own" | undefined) => {
    setOpen({ what: "secret", made, secret, needed });
  };
  const isOwn = ({ id }: Key) => id === who.key?.id;
  const isLast = (item: Key) =>
    !hasNextPage &&
    who.key?.id !== 0 &&
    inForce.every(({ id, scopes }) => (id === item.id) === scopes.includes("keys:manage"));

  const isEmpty = all.length === 0;
  const create = (
    <Button kind="primary" icon={<Plus aria-hidden />} onClick={() => setOpen({ what: "create" })}>
      {texts.newKey}
    </Button>
  );
  return (
    <View
      name="keys"
      title={texts.title}
      count={isEmpty || hasNextPage ? undefined : texts.count(formatNumber(inForce.length))}
      aside={!isEmpty && create}
    >
      {list.isPending ? (
        <Loading />
      ) : list.error && isEmpty ? (
        who.auth === "off" ? (
          <OnHost error={list.error} />
        ) : (
          <ErrorState error={list.error} retry={() => void list.refetch()} />
        )
      ) : isEmpty ? (
        <EmptyState
          icon={KeyRound}
          title={texts.empty.title}
          text={who.auth === "open" ? texts.empty.open : texts.empty.text}
        >
          {create}
        </EmptyState>
      ) : (
        <KeyList
          all={all}
          freshId={fresh?.id}
          ownId={who.key?.id}
          more={list}
          onReplace={(item) => setOpen({ what: "replace", item })}
          onRevoke={(item) => setOpen({ what: "revoke", item })}
        />
      )}
      {open?.what === "create" && (
        <CreateKey
          who={who}
          onMade={(made) => show(made, who.auth === "open" ? "closed" : undefined)}
          onClose={close}
        />
      )}
      {open?.what === "replace" && (
        <ReplaceKey
          item={open.item}
          own={isOwn(open.item)}
          onMade={(made) => show(made, isOwn(open.item) ? "own" : undefined)}
          onClose={close}
        />
      )}
      {open?.what === "revoke" && (
        <RevokeKey item={open.item} own={isOwn(open.item)} last={isLast(open.item)} onClose={close} />
      )}
      {open?.what === "secret" && (
        <SecretModal
          name={open.made.name}
          secret={open.secret}
          needed={open.needed}
          onKept={() => {
            setFresh(open.made);
            close();
          }}
        />
      )}
    </View>
  );
}
