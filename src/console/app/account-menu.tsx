import { themes } from "../../pages/script/theme.ts";
import type { CurrentSession } from "../lib/session.ts";
import { shell } from "../texts/index.ts";
import { ChevronsUpDown, LogOut, UserRound } from "../ui/icons.ts";
import { Menu, MenuChoice, MenuGroup, MenuItem, MenuSeparator } from "../ui/menu.tsx";
import { signOut } from "./sign-out.ts";
import { useTheme } from "./theme.ts";

const texts = shell.account;

/** Who is signed in, the theme, and the way out. */
export function AccountMenu({ session }: { readonly session: CurrentSession }) {
  const [theme, setTheme] = useTheme();
  const name = session.key?.name ?? texts.open;
  return (
    <Menu
      trigger={
        <button type="button" className="account" aria-label={texts.label(name)} title={name}>
          <span className="account-icon">
            <UserRound aria-hidden />
          </span>
          <span className="account-name" dir="auto">
            {name}
          </span>
          <ChevronsUpDown className="account-arrow" aria-hidden />
        </button>
      }
    >
      <MenuGroup label={session.key ? texts.signedInAs(session.key.name) : texts.openText} />
      <MenuSeparator />
      <MenuChoice
        label={texts.theme}
        value={theme}
        options={themes}
        getLabel={(option) => texts.themes[option]}
        onChoose={setTheme}
      />
      {session.auth === "session" && (
        <>
          <MenuSeparator />
          <MenuItem icon={<LogOut aria-hidden />} onSelect={() => void signOut()}>
            {texts.signOut}
          </MenuItem>
        </>
      )}
    </Menu>
  );
}
