import { Box, Grid, Paper, ScrollArea, UnstyledButton } from '@mantine/core';
import type { ReactNode } from 'react';
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

/** A list at the left and the chosen item at the right. The choice is in the URL; without one it is the first item. */
export function Desk<T>({ label, rows, keyOf, renderItem, renderChosen, footer }: DeskProps<T>) {
  const [{ selected }, setState] = useUrlState();
  const chosen = rows.find((row) => keyOf(row) === selected) ?? rows[0];
  return (
    <Grid gap="lg">
      <Grid.Col span={{ base: 12, md: 4 }}>
        <Paper p={0}>
          <ScrollArea.Autosize mah="70vh" type="auto">
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
        {chosen !== undefined && <Box key={keyOf(chosen)}>{renderChosen(chosen)}</Box>}
      </Grid.Col>
    </Grid>
  );
}
