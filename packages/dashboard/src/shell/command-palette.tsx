import { Button, Kbd, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { Spotlight, spotlight, type SpotlightActionData } from '@mantine/spotlight';
import { useState } from 'react';
import { api } from '../api/client.ts';
import type { components } from '../api/openapi.d.ts';
import { IconCatalog, IconOrders, IconSearch, IconUsers, IconWebhooks } from '../base/icons.ts';
import { useGoTo } from '../base/tenant.ts';
import { useLabNames } from '../components/lab-name.tsx';
import { PAGES } from '../pages.ts';
import { useIsShown } from './navigation.tsx';

type Result = components['schemas']['SearchResult'];

/** How a kind of result is shown, and where it leads. */
const KINDS: Readonly<
  Record<Result['kind'], { group: string; icon: typeof IconUsers; pathOf: (result: Result) => string }>
> = {
  user: { group: 'Users', icon: IconUsers, pathOf: ({ id }) => `users/${id}` },
  order: { group: 'Orders', icon: IconOrders, pathOf: ({ id }) => `orders/${id}` },
  lab_test: { group: 'Lab tests', icon: IconCatalog, pathOf: ({ id }) => `catalog/${id}` },
  marker: {
    group: 'Markers',
    icon: IconCatalog,
    pathOf: ({ title }) => `catalog?${new URLSearchParams({ tab: 'markers', name: title }).toString()}`,
  },
  endpoint: { group: 'Endpoints', icon: IconWebhooks, pathOf: ({ id }) => `webhooks/${id}` },
};

/** While a person types, the service is asked only after this pause. */
const PAUSE_MS = 150;
const SHORTEST = 2;

export function SearchButton() {
  return (
    <Button
      variant="default"
      size="xs"
      onClick={spotlight.open}
      leftSection={<IconSearch size={15} />}
      rightSection={<Kbd size="xs">Ctrl K</Kbd>}
      visibleFrom="sm"
      w={280}
      justify="space-between"
      styles={{ label: { flex: 1, justifyContent: 'flex-start' } }}
    >
      <Text size="xs" c="dimmed">
        Search
      </Text>
    </Button>
  );
}

/** Pages by name, and objects by id or name; opened by Ctrl or Cmd with K. */
export function CommandPalette() {
  const [text, setText] = useState('');
  const actions = usePageActions(text);
  const found = useFound(text);
  const groups = [...actions, ...found];
  return (
    <Spotlight.Root query={text} onQueryChange={setText} shortcut="mod + K" scrollable maxHeight={440}>
      <Spotlight.Search
        placeholder="Users, orders, lab tests, endpoints, pages"
        aria-label="Search"
        leftSection={<IconSearch size={18} />}
      />
      <Spotlight.ActionsList>
        {groups.length === 0 && <Spotlight.Empty>Nothing found</Spotlight.Empty>}
        {groups.map(({ group, actions: rows }) => (
          <Spotlight.ActionsGroup key={group} label={group}>
            {rows.map(({ id, ...action }) => (
              <Spotlight.Action key={id} {...action} />
            ))}
          </Spotlight.ActionsGroup>
        ))}
      </Spotlight.ActionsList>
    </Spotlight.Root>
  );
}

interface ActionGroup {
  readonly group: string;
  readonly actions: SpotlightActionData[];
}

function usePageActions(text: string): ActionGroup[] {
  const goTo = useGoTo();
  const isShown = useIsShown();
  const wanted = text.trim().toLowerCase();
  const actions = PAGES.filter(
    (page) => page.group && isShown(page) && page.title.toLowerCase().includes(wanted),
  ).map(({ path, title, icon: Icon }): SpotlightActionData => ({
    id: path,
    label: title,
    leftSection: Icon && <Icon size={18} stroke={1.6} />,
    onClick: () => goTo(path),
  }));
  return actions.length === 0 ? [] : [{ group: 'Pages', actions }];
}

function useFound(text: string): ActionGroup[] {
  const labName = useLabNames();
  const describe = ({ kind, detail }: Result) =>
    kind === 'lab_test' || kind === 'marker' ? labName(detail ?? '') : (detail ?? '');
  const goTo = useGoTo();
  const [asked] = useDebouncedValue(text.trim(), PAUSE_MS);
  const search = api.useQuery(
    'get',
    '/v1/search',
    { params: { query: { q: asked } } },
    { enabled: asked.length >= SHORTEST, gcTime: 0 },
  );
  const results = asked.length >= SHORTEST ? (search.data?.data ?? []) : [];
  return Object.entries(KINDS)
    .map(([kind, { group, icon: Icon, pathOf }]) => ({
      group,
      actions: results
        .filter((result) => result.kind === kind)
        .map((result): SpotlightActionData => {
          const [path = '', query = ''] = pathOf(result).split('?');
          return {
            id: `${kind}/${result.id}`,
            label: result.title,
            description: describe(result),
            leftSection: <Icon size={18} stroke={1.6} />,
            onClick: () => goTo(path, Object.fromEntries(new URLSearchParams(query))),
          };
        }),
    }))
    .filter(({ actions }) => actions.length > 0);
}
