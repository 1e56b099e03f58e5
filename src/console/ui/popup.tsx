import { Popover } from "@base-ui/react/popover";
import type { ReactElement, ReactNode } from "react";
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
}

/** A popover next to the button that opens it. */
export function Popup({ trigger, title, lead, children, open, onOpenChange }: PopupProps) {
  const bottom = Math.max(PADDING, useToastRoom());
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
          <Popover.Popup className="popup">
            <Popover.Title className="popup-title">{title}</Popover.Title>
            {lead !== undefined && <Popover.Description className="hint">{lead}</Popover.Description>}
            {children}
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  );
}
