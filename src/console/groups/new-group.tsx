import { useLocation } from "wouter";
import { shell } from "../texts/index.ts";
import { Modal } from "../ui/modal.tsx";
import { useTabTitle } from "../ui/view.tsx";
import { ConfirmLeave } from "../users/detail/leave-guard.tsx";
import { RecordForm } from "../users/detail/record-form.tsx";
import { RecordActions, RecordContent } from "../users/detail/user-content.tsx";
import { viewPaths } from "../view-paths.ts";
import { useOpenGroup } from "./use-open-group.ts";

/** Creates a group over the list, and opens its page. */
export function NewGroup({ onClose }: { readonly onClose: () => void }) {
  const [, navigate] = useLocation();
  const open = useOpenGroup(undefined, (saved) => {
    guard.leave(saved ? () => navigate(`${viewPaths.groups}/${saved.id}`) : onClose);
  });
  const { guard, name } = open;
  useTabTitle(name);
  const close = () => {
    if (!guard.isSigningIn) onClose();
  };
  return (
    <Modal
      open
      position="side"
      onClose={close}
      title={name}
      actions={<RecordActions open={open} cancelLabel={shell.cancel} onCancel={close} onClose={close} />}
    >
      <RecordContent open={open}>
        <RecordForm open={open} level={3} />
      </RecordContent>
      <ConfirmLeave guard={guard} />
    </Modal>
  );
}
