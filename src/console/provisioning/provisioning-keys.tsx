import { useInfiniteQuery } from "@tanstack/react-query";
import { type ReactNode, useEffect, useState } from "react";
import { useLocation } from "wouter";
import type { Key } from "../../client/index.ts";
import { scopeGroups } from "../../contract/keys/key.ts";
import { isActive, keysQuery, pathOfKey, withNewestFirst } from "../keys/queries.ts";
import { UsageChart } from "../keys/usage-chart.tsx";
import { UsageSparkline } from "../keys/usage-sparkline.tsx";
import { usageHistory } from "../texts/index.ts";
import { provisioning } from "../texts/provisioning.ts";
import { ChartColumn, KeyRound } from "../ui/icons.ts";
import { List, nextPage } from "../ui/list.tsx";
import type { ListColumn } from "../ui/list-table.tsx";
import { MenuItem } from "../ui/menu.tsx";
import { OpenItems } from "../ui/open-items.tsx";
import { Section } from "../ui/section.tsx";
import { EmptyState } from "../ui/states.tsx";
import { Timestamp } from "../ui/timestamp.tsx";

const { keys: texts } = provisioning;

interface ProvisioningKeysProps {
  /** The key that was created in this view. */
  readonly newKey: Key | undefined;
  /** The button that creates a key. */
  readonly create: ReactNode;
}

/** The keys that providers can use, and how much they do. */
export function ProvisioningKeys({ newKey, create }: ProvisioningKeysProps) {
  const [, navigate] = useLocation();
  const [shownUsage, setShownUsage] = useState<Key>();
  const query = useInfiniteQuery(keysQuery);
  const { hasNextPage, isFetchingNextPage, isFetchNextPageError, fetchNextPage } = query;
  // The keys of providers can be anywhere among the others.
  useEffect(() => {
    if (hasNextPage && !isFetchingNextPage && !isFetchNextPageError) fetchNextPage();
  }, [hasNextPage, isFetchingNextPage, isFetchNextPageError, fetchNextPage]);
  const all = withNewestFirst(query.data?.pages.flatMap(({ keys }) => keys) ?? [], newKey);
  const keys = all.filter((key) => isActive(key) && canProvision(key));
  return (
    <Section
      className="provisioning-keys"
      title={texts.title}
      hint={texts.hint}
      tools={keys.length > 0 && create}
    >
      <List
        label={texts.list}
        items={query.data && keys}
        columns={columns}
        idOf={({ id }) => id}
        nameOf={({ name }) => name}
        hrefOf={pathOfKey}
        menu={(key) => (
          <>
            <OpenItems href={pathOfKey(key)} onOpen={() => navigate(pathOfKey(key))} />
            {key.lastUsedAt !== null && (
              <MenuItem icon={<ChartColumn aria-hidden />} onSelect={() => setShownUsage(key)}>
                {usageHistory.open}
              </MenuItem>
            )}
          </>
        )}
        error={query.error}
        onRetry={() => void (isFetchNextPageError ? fetchNextPage() : query.refetch())}
        empty={
          <EmptyState icon={KeyRound} title={texts.empty.title} text={texts.empty.text}>
            {create}
          </EmptyState>
        }
        more={nextPage(query)}
      />
      {shownUsage && <UsageChart item={shownUsage} onClose={() => setShownUsage(undefined)} />}
    </Section>
  );
}

function canProvision({ scopes }: Key): boolean {
  return scopeGroups.scim.every((scope) => scopes.includes(scope));
}

const columns: readonly ListColumn<Key>[] = [
  {
    title: texts.name,
    width: "minmax(9rem, 1.5fr)",
    cell: ({ name }) => (
      <span className="list-name" title={name} dir="auto">
        {name}
      </span>
    ),
  },
  {
    title: texts.lastUsed,
    cell: ({ lastUsedAt }) =>
      lastUsedAt === null ? <span className="none">{texts.never}</span> : <Timestamp iso={lastUsedAt} />,
  },
  {
    title: texts.requests,
    width: "minmax(8rem, 1fr)",
    cell: ({ id, lastUsedAt }) => lastUsedAt !== null && <UsageSparkline id={id} hasTotal />,
  },
];
