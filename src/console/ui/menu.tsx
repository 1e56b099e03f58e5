import { Menu as BaseMenu } from "@base-ui/react/menu";
import {
  createContext,
  createRef,
  type ReactElement,
  type ReactNode,
  type RefObject,
  useContext,
  useRef,
} from "react";
import { Check } from "./icons.ts";

/** The main landmark. */
export const landmark = createRef<HTMLElement>();

/** Menus open inside the main landmark or the dialog of their button, so that people who navigate by landmarks find them. */
export const MenuContainer = createContext<RefObject<HTMLElement | null>>(landmark);

const RETURN_FOCUS_MS = 50;

interface MenuProps {
  /** The button that opens the menu. */
  readonly trigger: ReactElement;
  readonly align?: "start" | "end";
  readonly side?: "top" | "bottom";
  readonly children: ReactNode;
}

/** A menu of actions, next to the button that opens it. */
export function Menu({ trigger, align = "end", side = "bottom", children }: MenuProps) {
  const button = useRef<HTMLButtonElement>(null);
  // A dialog takes the focus when the menu in it closes.
  const returnFocus = (open: boolean) => {
    if (open) return;
    setTimeout(() => {
      if (document.activeElement?.contains(button.current)) button.current?.focus();
    }, RETURN_FOCUS_MS);
  };
  return (
    <BaseMenu.Root onOpenChangeComplete={returnFocus}>
      <BaseMenu.Trigger ref={button} render={trigger} />
      <MenuPopup align={align} side={side}>
        {children}
      </MenuPopup>
    </BaseMenu.Root>
  );
}

/** Where a menu opens, for elements that have no menu of their own. */
export interface MenuAnchor {
  /** A button, or the place of the pointer. */
  readonly at: HTMLElement | { getBoundingClientRect(): DOMRect };
  readonly returnFocus: HTMLElement;
}

interface AnchoredMenuProps {
  /** Undefined: the menu is closed. */
  readonly anchor: MenuAnchor | undefined;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/** A menu that many elements open, such as the rows of a table. */
export function AnchoredMenu({ anchor, onClose, children }: AnchoredMenuProps) {
  // The menu keeps its place and content while it closes.
  const last = useRef<Pick<AnchoredMenuProps, "anchor" | "children">>(undefined);
  if (anchor) last.current = { anchor, children };
  const isButton = last.current?.anchor?.at instanceof HTMLElement;
  return (
    <BaseMenu.Root open={anchor !== undefined} onOpenChange={(open) => !open && onClose()}>
      <MenuPopup align={isButton ? "end" : "start"} side="bottom" anchor={last.current?.anchor}>
        {last.current?.children}
      </MenuPopup>
    </BaseMenu.Root>
  );
}

interface MenuPopupProps extends Required<Pick<MenuProps, "align" | "side" | "children">> {
  readonly anchor?: MenuAnchor | undefined;
}

function MenuPopup({ align, side, anchor, children }: MenuPopupProps) {
  const container = useContext(MenuContainer);
  return (
    <BaseMenu.Portal className="menu-portal" container={container}>
      <BaseMenu.Positioner
        className="popup-place"
        sideOffset={6}
        align={align}
        side={side}
        anchor={anchor?.at}
        collisionPadding={8}
      >
        <BaseMenu.Popup className="menu" {...(anchor && { finalFocus: () => anchor.returnFocus })}>
          {children}
        </BaseMenu.Popup>
      </BaseMenu.Positioner>
    </BaseMenu.Portal>
  );
}

interface MenuItemProps {
  readonly icon?: ReactNode;
  readonly danger?: boolean;
  readonly disabled?: boolean;
  readonly onSelect: () => void;
  readonly children: ReactNode;
}

export function MenuItem({ icon, danger = false, disabled = false, onSelect, children }: MenuItemProps) {
  return (
    <BaseMenu.Item className={`menu-item${danger ? " danger" : ""}`} disabled={disabled} onClick={onSelect}>
      {icon}
      <span className="menu-text">{children}</span>
    </BaseMenu.Item>
  );
}

export function MenuSeparator() {
  return <BaseMenu.Separator className="menu-separator" />;
}

/** A part of the menu with a heading. */
export function MenuGroup({ label, children }: { readonly label: ReactNode; readonly children?: ReactNode }) {
  return (
    <BaseMenu.Group>
      <BaseMenu.GroupLabel className="menu-label">{label}</BaseMenu.GroupLabel>
      {children}
    </BaseMenu.Group>
  );
}

interface MenuChoiceProps<Value extends string> {
  readonly label: string;
  readonly value: Value;
  readonly options: readonly Value[];
  readonly getLabel: (option: Value) => string;
  readonly onChoose: (chosen: Value) => void;
  /** Whether a choice closes the menu. Otherwise the menu stays open, so that the choice shows. */
  readonly closes?: boolean;
}

/** One of several options. */
export function MenuChoice<Value extends string>(props: MenuChoiceProps<Value>) {
  const { label, value, options, getLabel, onChoose, closes = false } = props;
  return (
    <MenuGroup label={label}>
      <BaseMenu.RadioGroup value={value} onValueChange={onChoose}>
        {options.map((option) => (
          <BaseMenu.RadioItem key={option} value={option} className="menu-item" closeOnClick={closes}>
            <span className="menu-text">{getLabel(option)}</span>
            <BaseMenu.RadioItemIndicator className="menu-check">
              <Check aria-hidden />
            </BaseMenu.RadioItemIndicator>
          </BaseMenu.RadioItem>
        ))}
      </BaseMenu.RadioGroup>
    </MenuGroup>
  );
}
