import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { listLimits } from "../../../contract/listing.ts";
import { roster } from "../../lib/api.ts";
import { loadedItems } from "../../lib/sparse-list.ts";
import { useSettled } from "../../lib/use-settled.ts";
import { users as texts } from "../../texts/index.ts";
import { Button } from "../../ui/button.tsx";
import { isFiltered, toListOptions } from "../list-params.ts";
import { type LoadedUsers, reloadUsers } from "../queries.ts";

/** Says how many users in the table match its search and filters no more. The rows stay until the person loads the table again. */
export function NoLongerMatching({ users }: { readonly users: LoadedUsers }) {
  const { search } = users;
  const changed = useMemo(() => changedUsers(users), [users]);
  // Changes that follow each other are checked together.
  const versions = changed.map(({ id, version }) => `${id}:${version}`).join();
  const settled = useSettled(versions);
  const since = changed.map(({ updatedAt }) => updatedAt).toSorted()[0];
  const { data: count = 0 } = useQuery({
    queryKey: ["no-longer-matching", search, settled],
    queryFn: async ({ signal }) => {
      const { filter } = search;
      const recent = `updatedAt ge "${since}"`;
      const { users: found, next } = await roster.users
        .list({
          ...toListOptions({
            ...search,
            sort: "id",
            filter: filter === "" ? recent : `(${filter}) and ${recent}`,
          }),
          fields: ["name"],
          limit: listLimits.pageSize.maximum,
          signal,
        })
        .page();
      const matching = new Set(found.map(({ id }) => id));
      // Others have changed so many users that one page does not tell.
      return next === undefined ? changed.filter(({ id }) => !matching.has(id)).length : 0;
    },
    enabled: since !== undefined && settled === versions && isFiltered(search),
    placeholderData: keepPreviousData,
  });
  return (
    <div role="status">
      {since !== undefined && count > 0 && (
        <>
          {texts.noLongerMatching(count)}{" "}
          <Button className="small" onClick={() => void reloadUsers()}>
            {texts.refresh}
          </Button>
        </>
      )}
    </div>
  );
}

const changedUsers = ({ list, changed }: LoadedUsers) =>
  changed.size === 0 ? [] : loadedItems(list).filter(({ id }) => changed.has(id));
