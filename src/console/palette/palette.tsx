import { Autocomplete } from "@base-ui/react/autocomplete";
import { Dialog } from "@base-ui/react/dialog";
import { useQuery } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { useLocation } from "wouter";
import { foundGroupsQuery } from "../groups/queries.ts";
import { type Command, commandsOf, places } from "../lib/commands.ts";
import { findContent } from "../lib/content.ts";
import type { CurrentSession } from "../lib/session.ts";
import { useSearchText } from "../lib/use-settled.ts";
import { commands } from "../texts/commands.ts";
import { shell } from "../texts/index.ts";
import { palette as texts } from "../texts/palette.ts";
import { Button } from "../ui/button.tsx";
import { Search, X } from "../ui/icons.ts";
import {
  findCommands,
  listActions,
  listSavedListCommands,
  listViews,
  toGroupCommand,
  toUserCommand,
} from "./commands.ts";
import { foundUsersQuery } from "./find-users.ts";

interface Group {
  readonly value: string;
  readonly items: readonly Command[];
}

interface PaletteProps {
  readonly session: CurrentSession;
  readonly onClose: () => void;
}

/** Finds users, groups, views and actions by a few letters. */
export default function Palette({ session, onClose }: PaletteProps) {
  const [text, setText] = useState("");
  const [, navigate] = useLocation();
  const input = useRef<HTMLInputElement>(null);
  const search = useSearchText(text);
  const canReadUsers = session.scopes.includes("users:read");
  const canReadGroups = session.scopes.includes("groups:read");
  const users = useQuery({ ...foundUsersQuery(search), enabled: canReadUsers && search !== "" });
  const found = useQuery({ ...foundGroupsQuery(search), enabled: canReadGroups && search !== "" });
  const isEmpty = text.trim() === "";
  const foundUsers = isEmpty ? [] : (users.data ?? []).map(toUserCommand);
  const foundGroups = isEmpty ? [] : (found.data?.groups ?? []).map(toGroupCommand);
  // As it was when the palette opened: below it, nothing changes.
  const [placed] = useState(() =>
    places.map((place) => ({ value: commands.places[place], commands: commandsOf(place) })),
  );
  const placedIds = new Set(placed.flatMap(({ commands }) => commands.map(({ id }) => id)));
  const actions = listActions(session).filter(({ id }) => !placedIds.has(id));
  const groups: Group[] = [
    ...placed.map(({ value, commands }) => ({ value, items: findCommands(commands, text) })),
    { value: texts.groups.users, items: foundUsers },
    { value: texts.groups.groups, items: foundGroups },
    {
      value: texts.groups.views,
      items: findCommands([...listViews(session), ...listSavedListCommands(session)], text),
    },
    { value: texts.groups.actions, items: findCommands(actions, text) },
  ].filter(({ items }) => items.length > 0);
  const isSearching =
    (canReadUsers || canReadGroups) &&
    !isEmpty &&
    (users.isFetching || found.isFetching || search !== text.trim());
  const [opener] = useState(location.pathname);
  const run = (command: Command) => {
    onClose();
    command.run(navigate);
  };
  return (
    <Dialog.Root open onOpenChange={(open) => !open && onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="backdrop" forceRender />
        <Dialog.Popup
          className="modal palette"
          aria-label={texts.title}
          initialFocus={input}
          finalFocus={() => location.pathname === opener || findContent()}
        >
          <Autocomplete.Root
            open
            inline
            mode="none"
            items={groups}
            value={text}
            onValueChange={setText}
            itemToStringValue={({ label }: Command) => label}
            autoHighlight="always"
            keepHighlight
          >
            <div className="palette-field">
              <Search aria-hidden />
              <Autocomplete.Input
                ref={input}
                className="palette-input"
                aria-label={texts.placeholder}
                placeholder={texts.placeholder}
                maxLength={200}
              />
              <Dialog.Close
                render={<Button kind="quiet" icon={<X aria-hidden />} aria-label={shell.close} />}
              />
            </div>
            <Autocomplete.List className="palette-list">
              {(group: Group) => (
                <Autocomplete.Group key={group.value} items={group.items} className="palette-group">
                  <Autocomplete.GroupLabel className="palette-label">{group.value}</Autocomplete.GroupLabel>
                  <Autocomplete.Collection>
                    {(command: Command) => (
                      <Autocomplete.Item
                        key={command.id}
                        value={command}
                        className="palette-item"
                        onClick={() => run(command)}
                      >
                        <command.icon aria-hidden />
                        <span className="palette-name" dir="auto">
                          {command.label}
                        </span>
                        {command.hint !== undefined && (
                          <span className="hint" dir="auto">
                            {command.hint}
                          </span>
                        )}
                      </Autocomplete.Item>
                    )}
                  </Autocomplete.Collection>
                </Autocomplete.Group>
              )}
            </Autocomplete.List>
            <Autocomplete.Status className="palette-foot hint">
              {users.isError || found.isError
                ? texts.failed
                : isSearching
                  ? texts.searching
                  : groups.length === 0
                    ? texts.nothing
                    : texts.keys}
            </Autocomplete.Status>
          </Autocomplete.Root>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
