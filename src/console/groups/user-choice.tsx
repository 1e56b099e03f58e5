import { keepPreviousData, queryOptions, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { User } from "../../client/index.ts";
import { roster } from "../lib/api.ts";
import { useSearchText } from "../lib/use-settled.ts";
import { foundUsersQuery } from "../palette/find-users.ts";
import { addMembers as texts } from "../texts/groups.ts";
import { SearchChoice } from "../ui/search-choice.tsx";

/** Users whose user names begin with the text, besides those that a search finds. */
const MAX_BY_USER_NAME = 3;

interface UserChoiceProps {
  readonly onChoose: (user: User) => void;
  /** Users that are not offered: they are chosen already. */
  readonly without: ReadonlySet<number>;
}

/** Finds a user by its name, email, user name or id. */
export function UserChoice({ onChoose, without }: UserChoiceProps) {
  const [text, setText] = useState("");
  const settled = useSearchText(text);
  const found = useQuery(foundUsersQuery(settled));
  const named = useQuery(userNamesQuery(settled));
  const isSearching = found.isFetching || settled !== text.trim();
  const all = settled === "" ? [] : [...(found.data ?? []), ...(named.data ?? [])];
  const users = [...new Map(all.map((user) => [user.id, user])).values()].filter(
    ({ id }) => !without.has(id),
  );
  const status = () => {
    if (settled === "" || users.length > 0) return "";
    if (found.error) return texts.failed;
    return isSearching ? texts.searching : texts.nobody;
  };
  return (
    <div className="field-choice">
      <SearchChoice
        label={texts.find}
        text={text}
        onType={setText}
        items={users}
        keyOf={({ id }) => id}
        labelOf={({ name }) => name}
        hintOf={({ id, email, userName }) => email ?? (typeof userName === "string" ? userName : `#${id}`)}
        onChoose={(user) => {
          setText("");
          onChoose(user);
        }}
        status={status()}
      />
    </div>
  );
}

const userNamesQuery = (text: string) =>
  queryOptions({
    queryKey: ["user-names-with", text],
    queryFn: async ({ signal }) => {
      const filter = `userName sw ${JSON.stringify(text)}`;
      return (await roster.users.list({ filter, limit: MAX_BY_USER_NAME, signal }).page()).users;
    },
    enabled: text !== "",
    placeholderData: keepPreviousData,
  });
