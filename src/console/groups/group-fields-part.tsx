import { useLocation } from "wouter";
import { RecordCard } from "../users/detail/record-card.tsx";
import { RecordForm } from "../users/detail/record-form.tsx";
import { RecordFacts } from "../users/detail/user-facts.tsx";
import { viewPaths } from "../view-paths.ts";
import { useOpenGroup } from "./use-open-group.ts";

/** Shows and edits the name and the custom fields of a group. */
export function GroupFields({ id }: { readonly id: number }) {
  const [, navigate] = useLocation();
  const open = useOpenGroup(id, (saved) => {
    if (!saved) editor.discard();
    else if (saved.id === id) editor.startOver(saved);
    else guard.leave(() => navigate(`${viewPaths.groups}/${saved.id}/fields`, { replace: true }));
  });
  const { editor, guard } = open;
  return (
    <RecordCard
      open={open}
      form={<RecordForm open={open} level={2} />}
      aside={editor.base && <RecordFacts of={editor.base} />}
      onClose={() => navigate(viewPaths.groups)}
    />
  );
}
