import { type KeyboardEvent, type ReactNode, useState } from "react";
import { useCommands } from "../../lib/commands.ts";
import { focusNext } from "../../lib/keep-focus.ts";
import { useHasScope } from "../../lib/session.ts";
import { commands as commandTexts } from "../../texts/commands.ts";
import { exporting, bulk as texts } from "../../texts/index.ts";
import { bulkMembers } from "../../texts/memberships.ts";
import { Button } from "../../ui/button.tsx";
import { Download, Pencil, Trash2, UserRoundMinus, UserRoundPlus, Users, X } from "../../ui/icons.ts";
import { Menu, MenuItem } from "../../ui/menu.tsx";
import { ExportSearch } from "../export/export-search.tsx";
import { ExportUsers } from "../export/export-users.tsx";
import { useListParams } from "../list-params.ts";
import type { MatchingUsers, Selection } from "../table/selection.ts";
import type { MemberChange } from "./change-matching.ts";
import { ChangeMembers } from "./change-members.tsx";
import { DeleteUsers } from "./delete-users.tsx";
import { EditUsers } from "./edit-users.tsx";
import { DeleteMatching, EditMatching } from "./matching-users.tsx";

const commands = commandTexts.selection;

const memberChanges = [
  { kind: "add", Icon: UserRoundPlus },
  { kind: "remove", Icon: UserRoundMinus },
] as const;

interface SelectionBarProps {
  readonly selection: Selection;
  readonly fields: readonly string[];
  /** More users match the search than are selected: offers to select all of them. */
  readonly more: MatchingUsers | undefined;
  /** Buttons of the list, after those of every list. */
  readonly children?: ReactNode;
}

/** Actions for the selected users. */
export default function SelectionBar({ selection, fields, more, children }: SelectionBarProps) {
  const [openDialog, setOpenDialog] = useState<"edit" | "export" | "delete" | MemberChange>();
  const [{ sort }] = useListParams();
  const canRead = useHasScope("users:read");
  const canWrite = useHasScope("users:write");
  const canReadGroups = useHasScope("groups:read");
  const canWriteGroups = useHasScope("groups:write");
  const canChangeMembers = canRead && canWrite && canReadGroups && canWriteGroups;
  const { users, matching } = selection;
  const closeDialog = () => setOpenDialog(undefined);
  const clear = () => {
    closeDialog();
    selection.clear();
    focusTable();
  };
  useCommands("selection", [
    ...(canWrite
      ? [{ id: "edit-selected", label: commands.edit, icon: Pencil, run: () => setOpenDialog("edit") }]
      : []),
    ...(canRead
      ? [
          {
            id: "export-selected",
            label: commands.export,
            icon: Download,
            run: () => setOpenDialog("export"),
          },
        ]
      : []),
    ...(canChangeMembers
      ? memberChanges.map(({ kind, Icon }) => ({
          id: `${kind}-selected-members`,
          label: commands[kind],
          icon: Icon,
          run: () => setOpenDialog(kind),
        }))
      : []),
    ...(canWrite
      ? [{ id: "delete-selected", label: commands.delete, icon: Trash2, run: () => setOpenDialog("delete") }]
      : []),
    { id: "clear-selection", label: commands.clear, icon: X, run: clear },
  ]);
  const press = (event: KeyboardEvent) => {
    if (event.key !== "Escape") return;
    event.preventDefault();
    clear();
  };
  return (
    <div className="selection">
      <section className="selection-bar" aria-label={texts.label} onKeyDown={press}>
        <p className="selection-count" role="status">
          {matching ? texts.allSelected(matching.count) : texts.selected(users.length)}
        </p>
        {!matching && more && (
          <Button
            kind="quiet"
            className="select-matching"
            onClick={({ currentTarget }) => {
              focusNext(currentTarget);
              selection.selectMatching(more);
            }}
          >
            {texts.selectMatching(more.count)}
          </Button>
        )}
        {canWrite ? (
          <Button kind="quiet" icon={<Pencil aria-hidden />} onClick={() => setOpenDialog("edit")}>
            {texts.edit}
          </Button>
        ) : (
          <p className="hint">{texts.readOnly}</p>
        )}
        {canRead && (
          <Button kind="quiet" icon={<Download aria-hidden />} onClick={() => setOpenDialog("export")}>
            {exporting.button}
          </Button>
        )}
        {canChangeMembers && (
          <Menu
            side="top"
            trigger={
              <Button kind="quiet" icon={<Users aria-hidden />}>
                {bulkMembers.button}
              </Button>
            }
          >
            {memberChanges.map(({ kind, Icon }) => (
              <MenuItem key={kind} icon={<Icon aria-hidden />} onSelect={() => setOpenDialog(kind)}>
                {bulkMembers[kind].action}
              </MenuItem>
            ))}
          </Menu>
        )}
        {children}
        {canWrite && (
          <Button kind="destructive" icon={<Trash2 aria-hidden />} onClick={() => setOpenDialog("delete")}>
            {texts.delete}
          </Button>
        )}
        <Button kind="quiet" icon={<X aria-hidden />} title={texts.clearHint} onClick={clear}>
          <span className="hidden-on-phone">{texts.clear}</span>
        </Button>
      </section>
      {openDialog === "edit" &&
        (matching ? (
          <EditMatching matching={matching} fields={fields} onClose={closeDialog} onDone={clear} />
        ) : (
          <EditUsers users={users} fields={fields} onClose={closeDialog} onDone={clear} />
        ))}
      {openDialog === "export" &&
        (matching ? (
          <ExportSearch
            search={{ ...matching.search, sort }}
            total={matching.count}
            isSelection
            onClose={closeDialog}
          />
        ) : (
          <ExportUsers users={users} onClose={closeDialog} />
        ))}
      {(openDialog === "add" || openDialog === "remove") && (
        <ChangeMembers kind={openDialog} of={matching ?? users} onClose={closeDialog} onDone={clear} />
      )}
      {openDialog === "delete" &&
        (matching ? (
          <DeleteMatching matching={matching} fields={fields} onClose={closeDialog} onDone={clear} />
        ) : (
          <DeleteUsers users={users} onClose={closeDialog} onDone={clear} />
        ))}
    </div>
  );
}

/** The bar disappears with the focused button, so the focus moves to the table. */
function focusTable(): void {
  setTimeout(() => document.querySelector<HTMLElement>(".grid tbody [tabindex='0']")?.focus());
}
