import { Alert, Box, Button, Grid, Paper, ScrollArea, UnstyledButton } from '@mantine/core';
import { useEffect, useState, type ReactNode } from 'react';
import { useUrlState } from '../base/url-state.ts';

interface DeskProps<T> {
  /** What the list is, for screen readers. */
  readonly label: string;
  readonly rows: readonly T[];
  readonly keyOf: (row: T) => string;
  readonly renderItem: (row: T) => ReactNode;
  readonly renderChosen: (row: T) => ReactNode;
  /** Below the list: a button that loads more. */
  readonly footer?: ReactNode;
}

/**
 * A list at the left and the chosen item at the right. The choice is in the URL; without one it is the first item, which
 * stays chosen from then on: a more urgent one that comes in must not take the place of what a person is working on.
 */
export function Desk<T>({ label, rows, keyOf, renderItem, renderChosen, footer }: DeskProps<T>) {
  const [, setState] = useUrlState();
  const { chosen, moreUrgent } = usePinned(rows, keyOf);
  return (
    <Grid gap="lg">
      <Grid.Col span={{ base: 12, md: 4 }}>
        <Paper p={0}>
          <ScrollArea.Autosize mah="70vh" type="auto" scrollbars="y">
            <Box component="ul" aria-label={label} p={0} m={0} style={{ listStyle: 'none' }}>
              {rows.map((row) => (
                <li key={keyOf(row)} data-row>
                  <UnstyledButton
                    data-row-opener
                    className="desk-item"
                    aria-current={row === chosen || undefined}
                    onClick={() => setState({ selected: keyOf(row) })}
                  >
                    {renderItem(row)}
                  </UnstyledButton>
                </li>
              ))}
            </Box>
          </ScrollArea.Autosize>
          {footer}
        </Paper>
      </Grid.Col>
      <Grid.Col span={{ base: 12, md: 8 }}>
        {moreUrgent !== undefined && (
          <Alert color="red" mb="md" role="status" title="Something more urgent came in">
            <Button size="xs" variant="default" onClick={() => setState({ selected: keyOf(moreUrgent) })}>
              Open it
            </Button>
          </Alert>
        )}
        {chosen !== undefined && <Box key={keyOf(chosen)}>{renderChosen(chosen)}</Box>}
      </Grid.Col>
    </Grid>
  );
}

interface PinnedRow {
  readonly key: string;
  /** The rows that were there when it was chosen. */
  readonly known: ReadonlySet<string>;
}

/** The row that the URL names, or the one that was shown first. Also the first row that came in before it since. */
function usePinned<T>(rows: readonly T[], keyOf: (row: T) => string) {
  const [{ selected }, setState] = useUrlState();
  const [pinned, setPinned] = useState<PinnedRow>();
  const byKey = (key: string | undefined) => rows.find((row) => keyOf(row) === key);
  const chosen = byKey(selected) ?? byKey(pinned?.key) ?? rows[0];
  const key = chosen === undefined ? undefined : keyOf(chosen);
  // A link can lead to a row that is not loaded yet: it stays in the URL.
  const isToName = selected === undefined || (selected === pinned?.key && selected !== key);
  useEffect(() => {
    if (key === undefined) return;
    if (pinned?.key !== key) setPinned({ key, known: new Set(rows.map(keyOf)) });
    if (isToName && selected !== key) setState({ selected: key }, { replace: true });
  });
  const before = rows.slice(0, chosen === undefined ? 0 : rows.indexOf(chosen));
  const moreUrgent =
    pinned?.key === key ? before.find((row) => pinned?.known.has(keyOf(row)) === false) : undefined;
  return { chosen, moreUrgent };
}
