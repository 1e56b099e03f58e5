import { help } from "../../texts/index.ts";
import { Modal } from "../../ui/modal.tsx";

/** The keys that do something. */
export default function ShortcutsHelp({ onClose }: { readonly onClose: () => void }) {
  return (
    <Modal open onClose={onClose} title={help.title}>
      <dl className="key-list">
        {help.keys.map(([key, does]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
    </Modal>
  );
}
