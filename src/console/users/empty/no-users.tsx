import { useState } from "react";
import { Link } from "wouter";
import { buildCreateCommand, describeService } from "../../connect/snippets.ts";
import { useHasScope, useSession } from "../../lib/session.ts";
import { noUsers as texts } from "../../texts/index.ts";
import { Button } from "../../ui/button.tsx";
import { copyWithToast } from "../../ui/copy-button.tsx";
import { Plus, Sparkles, Terminal, Upload, UserRoundPlus } from "../../ui/icons.ts";
import { EmptyState, Forbidden } from "../../ui/states.tsx";
import { viewPaths } from "../../view-paths.ts";
import { loadSampleUsers } from "./load-sample-users.ts";

/** The ways to create the first users. */
export default function NoUsers({ title = texts.title }: { readonly title?: string }) {
  const [isLoading, setLoading] = useState(false);
  const auth = useSession()?.auth;
  const canWrite = useHasScope("users:write");
  if (!canWrite) return <Forbidden title={title} text={texts.readOnly} />;
  const load = async () => {
    setLoading(true);
    await loadSampleUsers();
    setLoading(false);
  };
  const copy = () => void copyWithToast(buildCreateCommand(describeService(auth)));
  return (
    <EmptyState icon={UserRoundPlus} title={title} text={texts.text}>
      <Link href={`${viewPaths.users}/new`} className="button primary">
        <Plus aria-hidden />
        {texts.create}
      </Link>
      <Link href={viewPaths.import} className="button plain">
        <Upload aria-hidden />
        {texts.import}
      </Link>
      <Button icon={<Sparkles aria-hidden />} busy={isLoading} onClick={() => void load()}>
        {texts.load}
      </Button>
      <Button icon={<Terminal aria-hidden />} title={texts.copyHint} onClick={copy}>
        {texts.copy}
      </Button>
    </EmptyState>
  );
}
