import { Stack, Tabs, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useUrlState } from '../base/url-state.ts';
import { TabList } from './tab-list.tsx';

interface UrlTab {
  /** In the URL. */
  readonly value: string;
  readonly label: string;
  /** False: the member has no permission for it. */
  readonly isShown?: boolean;
  readonly render: () => ReactNode;
}

/** Parts of a page, of which the URL names the one that is shown. */
export function UrlTabs({ label, tabs }: { readonly label: string; readonly tabs: readonly UrlTab[] }) {
  const [{ tab }, setState] = useUrlState();
  const shown = tabs.filter(({ isShown = true }) => isShown);
  const current = shown.find(({ value }) => value === tab) ?? shown[0];
  if (!current)
    return <Text>You have no permission to see this. Ask an administrator of your organization.</Text>;
  return (
    <Tabs
      value={current.value}
      onChange={(value) => setState({ tab: value === shown[0]?.value ? undefined : (value ?? undefined) })}
      keepMounted={false}
    >
      <TabList aria-label={label}>
        {shown.map(({ value, label: name }) => (
          <Tabs.Tab key={value} value={value}>
            {name}
          </Tabs.Tab>
        ))}
      </TabList>
      {shown.map(({ value, render }) => (
        <Tabs.Panel key={value} value={value}>
          <Stack gap="lg">{render()}</Stack>
        </Tabs.Panel>
      ))}
    </Tabs>
  );
}
