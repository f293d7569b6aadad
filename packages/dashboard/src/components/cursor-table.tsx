import { Button, Center, Table } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { cellProps, tableClass, type Column } from './data-table.tsx';
import { ErrorNotice, Loading } from './states.tsx';

interface CursorTableProps<T> {
  readonly label: string;
  readonly columns: readonly Column<T>[];
  readonly keyOf: (row: T) => string;
  /** What the list depends on: its filters. Begins with the method and the path, so that live events reload it. */
  readonly queryKey: readonly unknown[];
  readonly fetchPage: (cursor: string | undefined) => Promise<CursorPage<T>>;
  readonly empty: ReactNode;
  /** Opens the details of a row, for lists whose rows have no page of their own. */
  readonly onOpen?: (row: T) => void;
  readonly selectedKey?: string | undefined;
  readonly moreLabel?: string;
}

interface CursorPage<T> {
  readonly rows: readonly T[];
  readonly next: string | null | undefined;
}

/** Pages that stay loaded; older ones are asked for again when the reader goes back. */
const MAX_PAGES = 40;

/** A list that the API gives by cursor, with a button for more. */
export function CursorTable<T>(props: CursorTableProps<T>) {
  const { columns, label, keyOf, queryKey, fetchPage, empty, onOpen, selectedKey } = props;
  const list = useInfiniteQuery({
    queryKey: [...queryKey, 'pages'],
    queryFn: ({ pageParam }) => fetchPage(pageParam),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }: CursorPage<T>) => next ?? undefined,
  });
  if (list.isPending) return <Loading lines={8} />;
  if (list.error) return <ErrorNotice error={list.error} onRetry={() => void list.refetch()} />;
  const rows = list.data.pages.flatMap((page) => page.rows);
  if (rows.length === 0 && !list.hasNextPage) return <>{empty}</>;
  return (
    <>
      <Table.ScrollContainer minWidth={widthOf(columns)} type="native">
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
              <OpenableRow
                key={keyOf(row)}
                columns={columns}
                row={row}
                onOpen={onOpen}
                isSelected={keyOf(row) === selectedKey}
              />
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
      {list.hasNextPage && list.data.pages.length < MAX_PAGES && (
        <Center mt="md">
          <Button
            variant="default"
            size="xs"
            loading={list.isFetchingNextPage}
            onClick={() => void list.fetchNextPage()}
          >
            {props.moreLabel ?? 'Load more'}
          </Button>
        </Center>
      )}
    </>
  );
}

/** Wide enough that no cell of a narrow screen breaks its text: there the table scrolls sideways. */
const widthOf = <T,>(columns: readonly Column<T>[]): number =>
  columns
    .filter(({ isWideOnly }) => isWideOnly !== true)
    .reduce((sum, { width }) => sum + (typeof width === 'number' ? width : 180), 0);

interface OpenableRowProps<T> {
  readonly columns: readonly Column<T>[];
  readonly row: T;
  readonly onOpen: ((row: T) => void) | undefined;
  readonly isSelected?: boolean;
}

/** A row that opens its details: by a button in its first cell for the keyboard, by a click anywhere for the mouse. */
export const OpenableRow = <T,>({ columns, row, onOpen, isSelected = false }: OpenableRowProps<T>) => (
  <Table.Tr
    data-row
    className={onOpen ? 'row-link' : ''}
    {...(isSelected ? { bg: 'var(--mantine-primary-color-light)' } : {})}
    onClick={(event) => {
      if ((event.target as HTMLElement).closest('a,button,input,label')) return;
      onOpen?.(row);
    }}
  >
    {columns.map((column, index) => (
      <Table.Td key={column.title} {...cellProps(column)}>
        {index === 0 && onOpen ? (
          <button type="button" className="plain-button" data-row-opener onClick={() => onOpen(row)}>
            {column.render(row)}
          </button>
        ) : (
          column.render(row)
        )}
      </Table.Td>
    ))}
  </Table.Tr>
);
