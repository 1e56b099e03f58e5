import { useMutation } from "@tanstack/react-query";
import { type FormEvent, useEffect, useId, useRef, useState } from "react";
import type { Group, User } from "../../client/index.ts";
import { describeInLine } from "../lib/api.ts";
import { focusWhileScrollable } from "../lib/focus-while-scrollable.ts";
import { groupPage, addMembers as texts } from "../texts/groups.ts";
import { shell } from "../texts/index.ts";
import { Button } from "../ui/button.tsx";
import { Field } from "../ui/field.tsx";
import { X } from "../ui/icons.ts";
import { Modal } from "../ui/modal.tsx";
import { Alert } from "../ui/states.tsx";
import { showToast } from "../ui/toasts.tsx";
import { offerUndo } from "../users/undo/undo.ts";
import { useUserNames } from "../users/user-names.ts";
import { GroupGoneError, importMembers, type MembershipResults } from "./import-members.ts";
import { showOwnMembers } from "./queries.ts";
import { UserChoice } from "./user-choice.tsx";
import { MAX_ENTRIES, parseEntries, type UserEntry } from "./user-entries.ts";

const MAX_SHOWN = 100;

interface AddMembersProps {
  readonly group: Group;
  readonly onClose: () => void;
}

/** Finds users, or takes a list of them, says which can be added, and adds them. */
export function AddMembers({ group, onClose }: AddMembersProps) {
  const { id: groupId, name } = group;
  const [chosen, setChosen] = useState<readonly User[]>([]);
  const [text, setText] = useState("");
  const [mistake, setMistake] = useState<string>();
  const form = useId();
  const stopper = useRef<AbortController>(undefined);
  useEffect(() => () => stopper.current?.abort(), []);

  const check = useMutation({
    mutationFn: (entries: readonly UserEntry[]) => {
      stopper.current = new AbortController();
      return importMembers(groupId, entries, { dryRun: true, signal: stopper.current.signal });
    },
  });
  const add = useMutation({
    mutationFn: (entries: readonly UserEntry[]) => importMembers(groupId, entries),
    onSuccess: ({ added, missing }) => {
      onClose();
      if (added.length > 0) {
        offerUndo(texts.added(added.length, name), () => removeAgain(group, added));
      }
      if (missing.length > 0) showToast({ title: texts.notAdded(missing.length), kind: "failed" });
    },
    // After an error, too: some may have become members.
    onSettled: () => showOwnMembers(groupId),
  });
  const results = check.data;
  const choose = (user: User) => setChosen([...chosen, user]);
  const drop = (id: number) => setChosen(chosen.filter((user) => user.id !== id));
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (check.isPending || add.isPending) return;
    if (results) return add.mutate(results.added);
    const entries = [...new Set([...chosen.map(({ id }) => id), ...parseEntries(text)])];
    const { length } = entries;
    const isWrong = length === 0 || length > MAX_ENTRIES;
    setMistake(isWrong ? (length === 0 ? texts.empty : texts.tooMany(length, MAX_ENTRIES)) : undefined);
    if (!isWrong) check.mutate(entries);
  };
  const back = () => {
    check.reset();
    add.reset();
  };
  const error = add.error ?? check.error;
  return (
    <Modal
      open
      wide
      // After an error, the sign-in dialog may open above: a click there must not close this dialog.
      dismissible={error === null && !add.isPending}
      onClose={onClose}
      title={texts.title(name)}
      actions={
        <>
          {results ? (
            <Button disabled={add.isPending} onClick={back}>
              {texts.edit}
            </Button>
          ) : (
            <Button onClick={onClose}>{shell.cancel}</Button>
          )}
          <Button
            kind="primary"
            type="submit"
            form={form}
            busy={check.isPending || add.isPending}
            disabled={results?.added.length === 0}
          >
            {results ? texts.submit(results.added.length) : texts.check}
          </Button>
        </>
      }
    >
      <form id={form} className="form" noValidate onSubmit={submit}>
        {results ? (
          <Results results={results} names={new Map(chosen.map((user) => [user.id, user.name]))} />
        ) : (
          <>
            <UserChoice onChoose={choose} without={new Set(chosen.map(({ id }) => id))} />
            {chosen.length > 0 && <Chosen users={chosen} onDrop={drop} />}
            <Field label={texts.paste} hint={texts.pasteHint(MAX_ENTRIES)} error={mistake}>
              <textarea
                rows={6}
                dir="auto"
                autoCapitalize="none"
                spellCheck={false}
                value={text}
                onChange={({ target }) => {
                  setText(target.value);
                  setMistake(undefined);
                }}
              />
            </Field>
          </>
        )}
        {error !== null && (
          <Alert>{error instanceof GroupGoneError ? groupPage.gone : describeInLine(error)}</Alert>
        )}
      </form>
    </Modal>
  );
}

interface ChosenProps {
  readonly users: readonly User[];
  readonly onDrop: (id: number) => void;
}

/** The users that the search has found and the person has chosen. */
function Chosen({ users, onDrop }: ChosenProps) {
  return (
    <ul className="chips" aria-label={texts.chosen}>
      {users.map(({ id, name }) => (
        <li key={id} className="chip">
          <span dir="auto">{name}</span>
          <button type="button" aria-label={texts.drop(name)} onClick={() => onDrop(id)}>
            <X aria-hidden />
          </button>
        </li>
      ))}
    </ul>
  );
}

interface ResultsProps {
  readonly results: MembershipResults;
  /** The names of users that a person has chosen, by their ids. */
  readonly names: ReadonlyMap<number, string>;
}

function Results({ results: { added, members, missing }, names: chosen }: ResultsProps) {
  const loaded = useUserNames([...added, ...members].filter(isId));
  const names = (id: number) => chosen.get(id) ?? loaded(id) ?? undefined;
  return (
    <section className="member-results" aria-label={texts.results.label} role="status">
      {added.length === 0 && <p className="lead">{texts.results.none}</p>}
      {added.length > 0 && (
        <ResultList title={texts.results.found(added.length)} entries={added} names={names} />
      )}
      {members.length > 0 && (
        <ResultList title={texts.results.members(members.length)} entries={members} names={names} />
      )}
      {missing.length > 0 && (
        <ResultList title={texts.results.missing(missing.length)} entries={missing} names={names} />
      )}
    </section>
  );
}

const isId = (entry: UserEntry) => typeof entry === "number";

interface ResultListProps {
  readonly names: (id: number) => string | undefined;
  readonly title: string;
  readonly entries: readonly UserEntry[];
}

function ResultList({ title, entries, names }: ResultListProps) {
  const nameOf = (entry: UserEntry) => (typeof entry === "number" ? names(entry) : undefined);
  return (
    <div>
      <h3 className="section-title">{title}</h3>
      <ul className="member-list" ref={focusWhileScrollable}>
        {entries.slice(0, MAX_SHOWN).map((entry) => (
          <li key={`${typeof entry} ${entry}`} dir="auto">
            {entryLabel(entry, nameOf(entry))}
          </li>
        ))}
        {entries.length > MAX_SHOWN && (
          <li className="hint">{texts.results.more(entries.length - MAX_SHOWN)}</li>
        )}
      </ul>
    </div>
  );
}

/** The name of the user, if it is known, and what the person has entered. */
function entryLabel(entry: UserEntry, name: string | undefined): string {
  return name === undefined ? String(entry) : texts.results.named(name, String(entry));
}

async function removeAgain({ id, name }: Group, added: readonly UserEntry[]): Promise<boolean> {
  const { members } = await importMembers(id, added, { remove: true });
  showToast({ title: texts.undone(members.length, name) });
  await showOwnMembers(id);
  return true;
}
