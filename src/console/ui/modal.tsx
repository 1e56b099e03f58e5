import { AlertDialog } from "@base-ui/react/alert-dialog";
import { Dialog } from "@base-ui/react/dialog";
import { type ReactNode, useRef, useState } from "react";
import { shell } from "../texts/index.ts";
import { Button } from "./button.tsx";
import { X } from "./icons.ts";
import { MenuContainer } from "./menu.tsx";

interface ModalProps {
  readonly open: boolean;
  readonly onClose: () => void;
  readonly title: ReactNode;
  readonly lead?: ReactNode;
  readonly children?: ReactNode;
  /** Buttons beside the title. */
  readonly tools?: ReactNode;
  /** Takes the focus when the dialog closes. Default: the element that had the focus before. */
  readonly finalFocus?: () => HTMLElement | null;
  /** Buttons in the footer. */
  readonly actions?: ReactNode;
  /** A dialog in the middle, or a drawer at the side. */
  readonly position?: "middle" | "side";
  readonly wide?: boolean;
  /** Whether Esc and a click outside close the dialog. Otherwise only its buttons do. */
  readonly dismissible?: boolean;
}

/** A dialog that traps the focus and returns it when closed. */
export function Modal(props: ModalProps) {
  const { open, onClose, title, lead, children, actions, position = "middle", wide = false } = props;
  const { dismissible = true, tools, finalFocus } = props;
  const popup = useRef<HTMLDivElement>(null);
  const [before] = useState(findFocused);
  // A drawer shows what it has: it takes the focus itself, rather than its close button.
  const initialFocus = () => {
    if (popup.current?.contains(document.activeElement)) return false;
    return (position === "middle" ? findFirstControl(popup.current) : undefined) ?? popup.current;
  };
  return (
    <Dialog.Root
      open={open}
      disablePointerDismissal={!dismissible}
      onOpenChange={(next) => {
        if (!next && dismissible && isOnTop(popup.current)) onClose();
      }}
    >
      <Dialog.Portal>
        <Dialog.Backdrop className="backdrop" forceRender />
        <Dialog.Popup
          ref={popup}
          initialFocus={initialFocus}
          finalFocus={() => finalFocus?.() ?? before.find(({ isConnected }) => isConnected) ?? true}
          className={`modal ${position}${wide ? " wide" : ""}`}
        >
          <header className="modal-head">
            <Dialog.Title className="modal-title" dir="auto">
              {title}
            </Dialog.Title>
            <div className="modal-tools">
              {tools}
              {dismissible && (
                <Dialog.Close
                  render={<Button kind="quiet" icon={<X aria-hidden />} aria-label={shell.close} />}
                />
              )}
            </div>
          </header>
          <MenuContainer value={popup}>
            <div className="modal-body">
              {lead !== undefined && <Dialog.Description className="lead">{lead}</Dialog.Description>}
              {children}
            </div>
            {actions !== undefined && <footer className="modal-foot">{actions}</footer>}
          </MenuContainer>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

/** The first field, or the button that does what the dialog is for. */
function findFirstControl(popup: HTMLElement | null): HTMLElement | null | undefined {
  // On a phone, the keyboard would cover the dialog.
  const isTouched = matchMedia("(pointer: coarse)").matches;
  const field = popup?.querySelector<HTMLElement>(
    ".modal-body :is(input, select, textarea):not([readonly], :disabled, [tabindex='-1'])",
  );
  return (
    (isTouched ? undefined : field) ?? popup?.querySelector<HTMLElement>(".modal-foot > .primary:enabled")
  );
}

/** What had the focus before the last dialog. */
let lastFocused: readonly HTMLElement[] = [];

/**
 * The element with the focus, before a field of the dialog takes it. A dialog that replaces another also returns the focus to what had
 * it before the other.
 */
function findFocused(): readonly HTMLElement[] {
  const { activeElement, body } = document;
  const earlier = document.querySelector(".modal") ? lastFocused : [];
  const isElement = activeElement instanceof HTMLElement && activeElement !== body;
  lastFocused = isElement ? [activeElement, ...earlier] : earlier;
  return lastFocused;
}

/** Keys and clicks in a dialog that someone else has opened above are not for this one. */
function isOnTop(popup: HTMLElement | null): boolean {
  return [...document.querySelectorAll(".modal")].at(-1) === popup;
}

interface ConfirmProps {
  readonly open: boolean;
  readonly onClose: () => void;
  readonly title: string;
  readonly text: ReactNode;
  readonly confirmLabel: string;
  /** Default: "Cancel". */
  readonly cancelLabel?: string;
  readonly busy?: boolean;
  readonly onConfirm: () => void;
}

/** Asks for confirmation before an action that can't be undone. */
export function Confirm({
  open,
  onClose,
  title,
  text,
  confirmLabel,
  cancelLabel,
  busy,
  onConfirm,
}: ConfirmProps) {
  return (
    <AlertDialog.Root open={open} onOpenChange={(next) => !next && onClose()}>
      <AlertDialog.Portal>
        <AlertDialog.Backdrop className="backdrop" forceRender />
        <AlertDialog.Popup className="modal middle">
          <header className="modal-head">
            <AlertDialog.Title className="modal-title">{title}</AlertDialog.Title>
          </header>
          <div className="modal-body">
            <AlertDialog.Description className="lead" render={<div />}>
              {text}
            </AlertDialog.Description>
          </div>
          <footer className="modal-foot">
            <AlertDialog.Close render={<Button>{cancelLabel ?? shell.cancel}</Button>} />
            <Button kind="danger" busy={busy ?? false} onClick={onConfirm}>
              {confirmLabel}
            </Button>
          </footer>
        </AlertDialog.Popup>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  );
}
