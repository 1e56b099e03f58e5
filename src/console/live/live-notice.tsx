import type { User } from "../../client/index.ts";
import { formatNumber } from "../texts/format.ts";
import { live as texts } from "../texts/live.ts";
import { Button } from "../ui/button.tsx";
import { RotateCw } from "../ui/icons.ts";
import type { ListParams } from "../users/list-params.ts";
import { reloadUsers } from "../users/queries.ts";
import { useUnseenUsers } from "./use-unseen-users.ts";

interface LiveNoticeProps {
  readonly search: ListParams;
  readonly loaded: readonly User[];
}

/** Says that others have created or deleted users. The list stays as it is until the person wants to see them. */
export function LiveNotice({ search, loaded }: LiveNoticeProps) {
  const { added, deleted, hasMore } = useUnseenUsers(search, loaded);
  const words = search.membersOf === undefined ? texts.users : texts.members;
  const parts = [
    ...(added > 0 ? [words.added(formatNumber(added) + (hasMore ? "+" : ""))] : []),
    ...(deleted > 0 ? [words.deleted(formatNumber(deleted))] : []),
  ];
  const text = parts.length > 0 ? parts.join(", ") : hasMore ? texts.many : undefined;
  return (
    <div className="live-notice" role="status">
      {text !== undefined && (
        <Button
          kind="primary"
          icon={<RotateCw aria-hidden />}
          title={texts.show}
          onClick={() => void reloadUsers()}
        >
          {text}
        </Button>
      )}
    </div>
  );
}
