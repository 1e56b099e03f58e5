import { useQuery } from "@tanstack/react-query";
import { type KeyboardEvent, useId, useState } from "react";
import { roster } from "../lib/api.ts";
import { useHasScope } from "../lib/session.ts";
import { activity } from "../texts/activity.ts";
import { Field } from "../ui/field.tsx";
import { Suggestions } from "../ui/select.tsx";

const texts = activity.filters;
/** The id at the end of a suggestion. */
const CHOICE = /\((\d{1,15})\)$/;

/** Finds a user by name, email or id. */
export function UserFilter({ onChoose }: { readonly onChoose: (id: number) => void }) {
  const [text, setText] = useState("");
  const choices = useId();
  const canRead = useHasScope("users:read");
  const q = text.trim();
  const { data: found = [] } = useQuery({
    queryKey: ["user-choices", q],
    queryFn: ({ signal }) =>
      roster.users
        .list({ q, limit: 8, signal })
        .page()
        .then(({ users }) => users),
    enabled: canRead && q.length > 1 && !CHOICE.test(q),
    placeholderData: (before) => before,
  });
  const choose = (id: string) => {
    setText("");
    onChoose(Number(id));
  };
  const type = (next: string) => {
    const id = CHOICE.exec(next)?.[1];
    if (id !== undefined && found.some((user) => String(user.id) === id)) choose(id);
    else setText(next);
  };
  const press = ({ key }: KeyboardEvent) => {
    if (key !== "Enter") return;
    if (/^[1-9]\d{0,14}$/.test(q)) choose(q);
    else if (found.length === 1 && found[0]) choose(String(found[0].id));
  };
  return (
    <div className="user-filter">
      <Field label={texts.user}>
        <input
          list={choices}
          autoComplete="off"
          placeholder={texts.userPlaceholder}
          value={text}
          onChange={({ target }) => type(target.value)}
          onKeyDown={press}
        />
      </Field>
      <Suggestions
        id={choices}
        values={found.map(({ id, name, email }) => [name, email, `(${id})`].filter(Boolean).join(" "))}
      />
    </div>
  );
}
