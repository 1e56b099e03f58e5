import type { Delivery } from "../../client/index.ts";
import { sendNow } from "../texts/delivery-details.ts";
import { deliveries as texts } from "../texts/webhooks.ts";
import { copyWithToast } from "../ui/copy-button.tsx";
import { Copy, RotateCw } from "../ui/icons.ts";
import { MenuItem } from "../ui/menu.tsx";

interface DeliveryMenuProps {
  readonly delivery: Delivery;
  readonly isResending: boolean;
  /** Undefined if the webhook is not active. */
  readonly onResend: (() => void) | undefined;
}

export function DeliveryMenu({ delivery, isResending, onResend }: DeliveryMenuProps) {
  return (
    <>
      {onResend && (
        <MenuItem icon={<RotateCw aria-hidden />} disabled={isResending} onSelect={onResend}>
          {delivery.state === "waiting" ? sendNow.waiting : sendNow.finished}
        </MenuItem>
      )}
      <MenuItem icon={<Copy aria-hidden />} onSelect={() => void copyWithToast(delivery.id)}>
        {texts.copyEvent}
      </MenuItem>
    </>
  );
}
