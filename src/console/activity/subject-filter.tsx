import { useQuery } from "@tanstack/react-query";
import { type KeyboardEvent, useId, useState } from "react";
import { foundGroupsQuery } from "../groups/queries.ts";
import { roster } from "../lib/api.ts";
import { useHasScope } from "../lib/session.ts";
import { activity } from "../texts/activity.ts";
import { Field } from "../ui/field.tsx";
import { Suggestions } from "../ui/select.tsx";
import type { Subject } from "./event-filters.ts";

const texts = activity.filters;

/** Finds a user by name, email or id, or a group by name. */
export function SubjectFilter({ onChoose }: { readonly onChoose: (subject: Subject) => void }) {
  const [text, setText] = useState("");
  const choices = useId();
  const q = text.trim();
  const found = useFoundSubjects(q);
  const choose = (subject: Subject) => {
    setText("");
    onChoose(subject);
  };
  const type = (next: string) => {
    const subject = found.get(next);
    if (subject) choose(subject);
    else setText(next);
  };
  const press = ({ key }: KeyboardEvent) => {
    if (key !== "Enter") return;
    const [only, ...others] = found.values();
    if (/^[1-9]\d{0,14}$/.test(q)) choose(`user:${Number(q)}`);
    else if (only && others.length === 0) choose(only);
  };
  return (
    <div className="subject-filter">
      <Field label={texts.subject}>
        <input
          list={choices}
          autoComplete="off"
          placeholder={texts.subjectPlaceholder}
          value={text}
          onChange={({ target }) => type(target.value)}
          onKeyDown={press}
        />
      </Field>
      <Suggestions id={choices} values={[...found.keys()]} />
    </div>
  );
}

/** The users and groups that a text finds, by the suggestion for each. */
function useFoundSubjects(q: string): ReadonlyMap<string, Subject> {
  const canReadUsers = useHasScope("users:read");
  const canReadGroups = useHasScope("groups:read");
  const isLong = q.length > 1;
  const users = useQuery({
    queryKey: ["user-choices", q],
    queryFn: ({ signal }) =>
      roster.users
        .list({ q, limit: 8, signal })
        .page()
        .then(({ users }) => users),
    enabled: canReadUsers && isLong,
    placeholderData: (before) => before,
  });
  const groups = useQuery({ ...foundGroupsQuery(q), enabled: canReadGroups && isLong });
  return new Map<string, Subject>([
    ...(users.data ?? []).map(({ id, name, email }): [string, Subject] => [
      [name, email, `(${id})`].filter(Boolean).join(" "),
      `user:${id}`,
    ]),
    ...(groups.data?.groups ?? []).map(({ id, name }): [string, Subject] => [
      texts.group(name, id),
      `group:${id}`,
    ]),
  ]);
}
