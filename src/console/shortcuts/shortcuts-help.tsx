import { useLocation } from "wouter";
import { usableViews } from "../app/views.ts";
import { focusWhileScrollable } from "../lib/focus-while-scrollable.ts";
import { useSession } from "../lib/session.ts";
import { type Shortcut, shortcuts, shownGoKeys, shortcutTexts as texts } from "../texts/shortcuts.ts";
import { Modal } from "../ui/modal.tsx";
import { viewPaths } from "../view-paths.ts";

/** Lists the keyboard shortcuts: first those of the place. */
export default function ShortcutsHelp({ onClose }: { readonly onClose: () => void }) {
  const [path] = useLocation();
  const session = useSession();
  const goKeys = (session ? usableViews(session) : []).map(
    ({ key, label }): Shortcut => ({ key, shown: shownGoKeys(key), text: label }),
  );
  const sections = {
    user: Object.values(shortcuts.user),
    users: Object.values(shortcuts.users),
    groups: Object.values(shortcuts.groups),
    views: goKeys,
    everywhere: Object.values(shortcuts.everywhere),
  };
  return (
    <Modal open wide onClose={onClose} title={texts.title}>
      <div className="shortcuts" ref={scrollWithKeyboard}>
        {orderAt(path).map((name) => (
          <section key={name}>
            <h3 className="section-title">{texts.sections[name]}</h3>
            <ShortcutList shortcuts={sections[name]} />
          </section>
        ))}
      </div>
    </Modal>
  );
}

/** The keyboard scrolls the dialog in small windows: nothing else in the dialog takes the focus. */
function scrollWithKeyboard(content: HTMLElement | null): (() => void) | undefined {
  return focusWhileScrollable(content?.parentElement ?? null);
}

type Section = keyof typeof texts.sections;

/** The sections for a path: first those of its view. */
function orderAt(path: string): readonly Section[] {
  if (path === viewPaths.users) return ["users", "user", "views", "everywhere", "groups"];
  if (path.startsWith(`${viewPaths.users}/`)) return ["user", "users", "views", "everywhere", "groups"];
  if (path.startsWith(viewPaths.groups)) return ["groups", "users", "views", "everywhere"];
  return ["views", "everywhere", "users", "user", "groups"];
}

function ShortcutList({ shortcuts }: { readonly shortcuts: readonly Shortcut[] }) {
  return (
    <dl className="key-list">
      {shortcuts.map(({ key, shown = key, text }) => (
        <div key={text}>
          <dt>
            <kbd>{shown}</kbd>
          </dt>
          <dd>{text}</dd>
        </div>
      ))}
    </dl>
  );
}
