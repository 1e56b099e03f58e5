import { help } from "../../texts/index.ts";
import { Modal } from "../../ui/modal.tsx";

/** Lists the keyboard shortcuts. */
export default function ShortcutsHelp({ onClose }: { readonly onClose: () => void }) {
  return (
    <Modal open onClose={onClose} title={help.title}>
      <dl className="key-list">
        {help.keys.map(([key, description]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{description}</dd>
          </div>
        ))}
      </dl>
    </Modal>
  );
}
