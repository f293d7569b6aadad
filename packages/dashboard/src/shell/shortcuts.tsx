import { Group, Kbd, Modal, SimpleGrid, Stack, Switch, Table, Text, Title } from '@mantine/core';
import { spotlight } from '@mantine/spotlight';
import { useEffect, useRef, useSyncExternalStore } from 'react';
import { useGoTo } from '../base/tenant.ts';
import { PAGES } from '../pages.ts';
import { useIsShown } from './navigation.tsx';
import { focusedRow, focusSearch, moveToRow, toggleRow } from './row-focus.ts';
import { closeHelp, openHelp, readShortcuts, setEnabled, subscribe } from './shortcut-state.ts';
import { KEYS, PAGE_LETTERS } from './shortcut-table.ts';

/** The second key of `g` and a letter has to come within this time. */
const SEQUENCE_MS = 1500;

/** Where keys belong to the element: fields, menus, tabs, sliders. */
const OWN_KEYS =
  'input,textarea,select,[contenteditable="true"],[role="combobox"],[role="listbox"],[role="menu"],' +
  '[role="tablist"],[role="slider"],[role="radiogroup"],[role="grid"]';

const belongsToElement = ({ target }: KeyboardEvent): boolean =>
  target instanceof Element && target.closest(OWN_KEYS) !== null;

/** Keys without a modifier, wherever no field has the focus. */
function useShortcuts(): void {
  const goTo = useGoTo();
  const isShown = useIsShown();
  const { isEnabled } = useSyncExternalStore(subscribe, readShortcuts);
  const handle = useRef<(event: KeyboardEvent) => void>(undefined);
  const sequenceUntil = useRef(0);
  const openPage = (letter: string): boolean => {
    const path = Object.keys(PAGE_LETTERS).find((one) => PAGE_LETTERS[one] === letter);
    const page = PAGES.find((one) => one.path === path);
    if (!page || !isShown(page)) return false;
    goTo(page.path);
    return true;
  };
  const perform = (key: string): boolean => {
    // A page behind an open dialog stays as it is.
    const hasDialog = document.querySelector('[role="dialog"]') !== null;
    const isSequence = performance.now() < sequenceUntil.current;
    sequenceUntil.current = key === 'g' && !isSequence ? performance.now() + SEQUENCE_MS : 0;
    if (isSequence) return !hasDialog && openPage(key);
    if (key === 'j' || (key === 'ArrowDown' && focusedRow())) return moveToRow(1);
    if (key === 'k' || (key === 'ArrowUp' && focusedRow())) return moveToRow(-1);
    if (key === 'x') return toggleRow();
    if (hasDialog) return false;
    if (key === '?') openHelp();
    else if (key === '/') {
      if (!focusSearch()) spotlight.open();
    } else return false;
    return true;
  };
  handle.current = (event) => {
    const hasModifier = event.ctrlKey || event.metaKey || event.altKey;
    if (event.defaultPrevented || hasModifier || event.isComposing || belongsToElement(event)) return;
    if (!isEnabled && !event.key.startsWith('Arrow')) return;
    if (perform(event.key)) event.preventDefault();
  };
  useEffect(() => {
    const listen = (event: KeyboardEvent) => handle.current?.(event);
    document.addEventListener('keydown', listen);
    return () => document.removeEventListener('keydown', listen);
  }, []);
}

/** Listens for the shortcuts of all pages, and shows them all on `?`. */
export function Shortcuts() {
  useShortcuts();
  const { isHelpOpen, isEnabled } = useSyncExternalStore(subscribe, readShortcuts);
  return (
    <Modal opened={isHelpOpen} onClose={closeHelp} title="Keyboard shortcuts" size="lg">
      <Stack>
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          <section aria-label="Lists and search">
            <Title order={3}>Lists and search</Title>
            <KeyTable label="Lists and search" rows={KEYS} />
          </section>
          <section aria-label="Pages">
            <Title order={3}>Pages</Title>
            <PageKeys />
          </section>
        </SimpleGrid>
        <Switch
          label="Shortcuts of a single key"
          description="Switch them off if they disturb speech input or another program. Kept in this browser."
          checked={isEnabled}
          onChange={(event) => setEnabled(event.currentTarget.checked)}
        />
      </Stack>
    </Modal>
  );
}

function PageKeys() {
  const isShown = useIsShown();
  const rows = PAGES.flatMap((page) => {
    const letter = PAGE_LETTERS[page.path];
    return letter !== undefined && isShown(page) ? [[[`g ${letter}`], page.title] as const] : [];
  });
  return <KeyTable label="Pages" rows={rows} />;
}

interface KeyTableProps {
  readonly label: string;
  readonly rows: readonly (readonly [keys: readonly string[], meaning: string])[];
}

const KeyTable = ({ label, rows }: KeyTableProps) => (
  <Table aria-label={`Keys: ${label}`} withRowBorders={false} verticalSpacing={3}>
    <Table.Tbody>
      {rows.map(([keys, meaning]) => (
        <Table.Tr key={meaning}>
          <Table.Td w={96}>
            <Group gap={4} wrap="nowrap">
              {keys.map((key) => (
                <Kbd key={key} size="xs" style={{ whiteSpace: 'nowrap' }}>
                  {key}
                </Kbd>
              ))}
            </Group>
          </Table.Td>
          <Table.Td>
            <Text size="sm">{meaning}</Text>
          </Table.Td>
        </Table.Tr>
      ))}
    </Table.Tbody>
  </Table>
);
