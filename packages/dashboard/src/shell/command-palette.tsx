import { Button, Kbd, Text, VisuallyHidden } from '@mantine/core';
import { Spotlight, spotlight, type SpotlightActionData } from '@mantine/spotlight';
import { IconSearch } from '../base/icons.ts';
import { useIsShown } from './navigation.tsx';
import { PAGES } from '../pages.ts';
import { useGoTo } from '../base/tenant.ts';

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
    >
      <Text size="xs" c="dimmed">
        Search
      </Text>
    </Button>
  );
}

/** Pages by name; opened by Ctrl or Cmd with K. */
export function CommandPalette() {
  const goTo = useGoTo();
  const isShown = useIsShown();
  const actions: SpotlightActionData[] = PAGES.filter((page) => page.group && isShown(page)).map(
    ({ path, title, group, icon: Icon }) => ({
      id: path,
      label: title,
      description: group ?? '',
      leftSection: Icon && <Icon size={18} stroke={1.6} />,
      onClick: () => goTo(path),
    }),
  );
  return (
    <Spotlight
      actions={actions}
      shortcut="mod + K"
      nothingFound="Nothing found"
      limit={12}
      searchProps={{
        leftSection: <IconSearch size={18} />,
        placeholder: 'Search pages',
        'aria-label': 'Search',
      }}
    >
      <VisuallyHidden>Search</VisuallyHidden>
    </Spotlight>
  );
}
