import { Anchor, Table, Text } from '@mantine/core';
import { Link, useNavigate } from '@tanstack/react-router';
import type { MouseEvent, ReactNode } from 'react';
import { useTenantPath } from '../base/tenant.ts';

/**
 * Where a column stands in the card that a row is on a phone: the title at its top with the state at its right, below them
 * the detail with the aside, then lines with their names, and the actions. Columns without a place are left out.
 */
type PhonePlace = 'title' | 'state' | 'detail' | 'aside' | 'line' | 'actions';

export interface Column<T> {
  readonly title: string;
  readonly render: (row: T) => ReactNode;
  readonly width?: number | string;
  readonly align?: 'left' | 'right';
  /** Hidden where the window is narrower than 1408 pixels; what matters of it belongs into another column there. */
  readonly isWideOnly?: boolean;
  /** Without one in any column, the list scrolls sideways on a phone. */
  readonly phone?: PhonePlace;
}

/** Whether the rows of a list are cards on a phone. */
export const hasCards = <T,>(columns: readonly Column<T>[]): boolean =>
  columns.some(({ phone }) => phone !== undefined);

/** How a cell of a column is shown. */
export const cellProps = <T,>({ title, align, isWideOnly = false, phone }: Column<T>) => ({
  ta: align ?? 'left',
  ...(isWideOnly ? { visibleFrom: 'xl' } : {}),
  'data-phone': phone ?? 'none',
  ...(phone === 'line' ? { 'data-title': title } : {}),
});

/** The class of a table: on a phone its rows are cards, if its columns have places in one. */
export const tableClass = <T,>(columns: readonly Column<T>[]): string =>
  hasCards(columns) ? 'data-table card-list' : 'data-table';

interface DataTableProps<T> {
  /** What the table lists, for screen readers. */
  readonly label: string;
  readonly columns: readonly Column<T>[];
  readonly rows: readonly T[];
  readonly keyOf: (row: T) => string;
  /** The page of a row, below the tenant. The whole row leads there; its first cell is the link. */
  readonly pathOf?: (row: T) => string;
  readonly empty?: ReactNode;
}

/** A list that fits on a page. Long ones are a PagedTable. */
export function DataTable<T>({ label, columns, rows, keyOf, pathOf, empty }: DataTableProps<T>) {
  if (rows.length === 0) return <>{empty ?? <Text c="dimmed">Nothing here.</Text>}</>;
  return (
    <Table.ScrollContainer
      minWidth={columns.filter(({ isWideOnly }) => isWideOnly !== true).length * 110}
      type="native"
    >
      <Table className={tableClass(columns)} aria-label={label} verticalSpacing="xs">
        <Table.Thead>
          <Table.Tr>
            {columns.map((column) => (
              <Table.Th key={column.title} w={column.width} {...cellProps(column)}>
                {column.title}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map((row) => (
            <DataRow key={keyOf(row)} columns={columns} row={row} path={pathOf?.(row)} />
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

interface DataRowProps<T> {
  readonly columns: readonly Column<T>[];
  readonly row: T;
  readonly path: string | undefined;
}

function DataRow<T>({ columns, row, path }: DataRowProps<T>) {
  const toPath = useTenantPath();
  const navigate = useNavigate();
  const open = (event: MouseEvent<HTMLElement>) => {
    if (path === undefined || (event.target as HTMLElement).closest('a,button,input,label')) return;
    void navigate({ to: toPath(path) });
  };
  return (
    <Table.Tr onClick={open} data-row className={path === undefined ? '' : 'row-link'}>
      {columns.map((column, index) => (
        <Table.Td key={column.title} {...cellProps(column)}>
          {index === 0 && path !== undefined ? (
            <Anchor component={Link} to={toPath(path)} underline="never" c="inherit" fw={500} data-row-opener>
              {column.render(row)}
            </Anchor>
          ) : (
            column.render(row)
          )}
        </Table.Td>
      ))}
    </Table.Tr>
  );
}
