import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { Group } from "../../client/index.ts";
import { groupLimits } from "../../contract/groups/group.ts";
import { describeInLine, isProblem, roster } from "../lib/api.ts";
import { useHasScope } from "../lib/session.ts";
import { useSettled } from "../lib/use-settled.ts";
import { formatNumber } from "../texts/format.ts";
import { groupChoice as texts } from "../texts/groups.ts";
import { SearchChoice } from "../ui/search-choice.tsx";
import { Alert } from "../ui/states.tsx";
import { foundGroupsQuery, reloadGroups } from "./queries.ts";

interface GroupChoiceProps {
  readonly onChoose: (group: Group) => void;
  /** Offers to create a group with the name that is typed, if the person may write groups. */
  readonly canCreate?: boolean;
  /** Groups that are not offered, such as those that are chosen already. */
  readonly without?: ReadonlySet<number>;
}

type Choice = { readonly group: Group } | { readonly newName: string };

/** Finds a group by its name. Needs the scope `groups:read`. */
export function GroupChoice({ onChoose, canCreate = false, without }: GroupChoiceProps) {
  const [text, setText] = useState("");
  const mayWrite = useHasScope("groups:write");
  const name = text.trim();
  const settled = useSettled(name);
  const { data, error, isFetching, isPlaceholderData } = useQuery(foundGroupsQuery(settled));
  const create = useMutation({
    mutationFn: (newName: string) => roster.groups.create({ name: newName }),
    onSuccess: (group) => {
      setText("");
      void reloadGroups();
      onChoose(group);
    },
    // Someone else has just created it: then it is found.
    onError: (failure) => isProblem(failure, "value-taken") && void reloadGroups(),
  });
  const isKnown = data !== undefined && settled === name && !isPlaceholderData;
  const isNew = isKnown && !data.isNameTaken && name !== "" && name.length <= groupLimits.nameCharacters;
  const found = data?.groups.filter(({ id }) => !without?.has(id)) ?? [];
  const choices: readonly Choice[] = [
    ...found.map((group) => ({ group })),
    ...(canCreate && mayWrite && isNew ? [{ newName: name }] : []),
  ];
  const choose = (choice: Choice) => {
    if ("newName" in choice) {
      if (!create.isPending) create.mutate(choice.newName);
    } else {
      setText("");
      onChoose(choice.group);
    }
  };
  return (
    <div className="field-choice">
      <SearchChoice
        label={texts.label}
        text={text}
        onType={(next) => {
          create.reset();
          setText(next);
        }}
        maxLength={groupLimits.nameCharacters}
        items={choices}
        keyOf={(choice) => ("group" in choice ? choice.group.id : "new")}
        labelOf={(choice) => ("group" in choice ? choice.group.name : texts.create(choice.newName))}
        hintOf={(choice) => ("group" in choice ? formatNumber(choice.group.memberCount) : undefined)}
        onChoose={choose}
        status={error ? texts.failed : choices.length > 0 ? "" : isFetching ? texts.searching : texts.nothing}
      />
      {create.error !== null && <Alert>{describeInLine(create.error)}</Alert>}
    </div>
  );
}
