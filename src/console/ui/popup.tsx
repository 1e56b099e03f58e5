import { Popover } from "@base-ui/react/popover";
import { type ReactElement, type ReactNode, type RefObject, useEffect, useRef } from "react";
import { Button } from "./button.tsx";
import { ArrowLeft } from "./icons.ts";
import { useToastRoom } from "./toasts.tsx";

const PADDING = 12;

interface PopupProps {
  /** The button that opens the popup. */
  readonly trigger: ReactElement;
  readonly title: string;
  readonly lead?: ReactNode;
  readonly children: ReactNode;
  readonly open?: boolean;
  readonly onOpenChange?: (open: boolean) => void;
  /** A button beside the title that leads back to the step before. */
  readonly back?: { readonly label: string; readonly onBack: () => void } | undefined;
}

/** A popover next to the button that opens it. An element with `data-first-focus` gets the focus. */
export function Popup({ trigger, title, lead, children, open, onOpenChange, back }: PopupProps) {
  const bottom = Math.max(PADDING, useToastRoom());
  const popup = useRef<HTMLDivElement>(null);
  return (
    <Popover.Root
      {...(open !== undefined && { open })}
      {...(onOpenChange && { onOpenChange: (next: boolean) => onOpenChange(next) })}
    >
      <Popover.Trigger render={trigger} />
      <Popover.Portal>
        <Popover.Positioner
          className="popup-place"
          sideOffset={6}
          align="start"
          collisionPadding={{ top: PADDING, right: PADDING, bottom, left: PADDING }}
        >
          <Popover.Popup
            ref={popup}
            className="popup"
            initialFocus={() => findFirstFocus(popup.current) ?? true}
          >
            <div className="popup-head">
              {back && (
                <Button
                  kind="quiet"
                  icon={<ArrowLeft aria-hidden />}
                  aria-label={back.label}
                  title={back.label}
                  onClick={back.onBack}
                />
              )}
              <Popover.Title className="popup-title">{title}</Popover.Title>
            </div>
            {lead !== undefined && <Popover.Description className="hint">{lead}</Popover.Description>}
            {children}
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  );
}

/** Focuses the element with `data-first-focus` when content appears in an open popup. */
export function useFirstFocus<Content extends HTMLElement>(): RefObject<Content | null> {
  const content = useRef<Content>(null);
  useEffect(() => findFirstFocus(content.current)?.focus(), []);
  return content;
}

function findFirstFocus(content: HTMLElement | null): HTMLElement | null | undefined {
  // On a phone, the keyboard would cover the popup.
  if (matchMedia("(pointer: coarse)").matches) return undefined;
  return content?.querySelector<HTMLElement>("[data-first-focus]");
}
