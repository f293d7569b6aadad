import { Box, Text } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { useQueries } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useVirtualizer } from '@tanstack/react-virtual';
import {
  memo,
  useDeferredValue,
  useEffect,
  useMemo,
  useRef,
  useState,
  type CSSProperties,
  type MouseEvent,
  type ReactNode,
} from 'react';
import { PREFIX } from '../api/service.ts';
import { useTenant } from '../base/tenant.ts';
import { hasCards, type Column } from './data-table.tsx';
import { ErrorNotice, Loading } from './states.tsx';

const ROW_HEIGHT = 44;
/** On a phone, where a row is a card of two lines. */
const CARD_HEIGHT = 62;
/** As in cards.css. */
const PHONE = '(max-width: 47.99em)';
/** The head with the borders of the table. */
const HEAD_HEIGHT = 48;

interface Page<T> {
  readonly rows: readonly T[];
  /** Null where the service does not count so far: the list then grows while it is read. */
  readonly total: number | null;
}

interface PagedTableProps<T> {
  readonly label: string;
  readonly columns: readonly Column<T>[];
  readonly keyOf: (row: T) => string;
  readonly pathOf?: (row: T) => string;
  /** Rows of one page, as the API numbers them from 1. */
  readonly pageSize: number;
  /** What the list depends on: its filters. Begins with the method and the path, so that live events reload it. */
  readonly queryKey: readonly unknown[];
  readonly fetchPage: (page: number) => Promise<Page<T>>;
  readonly empty: ReactNode;
}

/**
 * A list of any length: only the rows on the screen exist, and only the pages that they belong to are asked for. The
 * scroll bar is that of the whole list, or of the part that was reached where nobody has counted it.
 */
export function PagedTable<T>(props: PagedTableProps<T>) {
  const isPhone = useMediaQuery(PHONE, undefined, { getInitialValueInEffect: false });
  const isCards = isPhone && hasCards(props.columns);
  // Another list begins at its own top.
  return <Pages key={JSON.stringify([props.queryKey, isCards])} {...props} isCards={isCards} />;
}

function Pages<T>(props: PagedTableProps<T> & { readonly isCards: boolean }) {
  const { pageSize, queryKey, fetchPage, empty, columns, label, pathOf, isCards } = props;
  const rowHeight = isCards ? CARD_HEIGHT : ROW_HEIGHT;
  const open = useRowOpener();
  const scroller = useRef<HTMLDivElement>(null);
  const [reached, setReached] = useState(1);
  const first = useQueries({ queries: [pageQuery(1)] })[0];
  const last = useQueries({ queries: [pageQuery(reached)] })[0];
  const counted = first?.data?.total ?? last?.data?.total ?? null;
  const total = counted ?? reached * pageSize;
  const virtual = useVirtualizer({
    count: first?.data === undefined ? 0 : total,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 4,
    useFlushSync: false,
  });
  // A key or a turn of the wheel is painted at once, with empty lines where rows are new; the rows follow, in pieces.
  const items = useDeferredValue(virtual.getVirtualItems());
  const pages = [...new Set(items.map(({ index }) => Math.floor(index / pageSize) + 1))];
  const answers = useQueries({ queries: pages.map(pageQuery) });
  const isLastFull = counted === null && last?.data?.rows.length === pageSize;
  const isAtEnd = pages.includes(reached);
  useEffect(() => {
    if (isLastFull && isAtEnd) setReached(reached + 1);
  }, [isLastFull, isAtEnd, reached]);
  const rowAt = (index: number): T | undefined => {
    const page = Math.floor(index / pageSize) + 1;
    return answers[pages.indexOf(page)]?.data?.rows[index % pageSize];
  };

  function pageQuery(page: number) {
    return {
      queryKey: [...queryKey, { page }],
      queryFn: () => fetchPage(page),
    };
  }

  if (first?.isPending) return <Loading lines={10} />;
  if (first?.error) return <ErrorNotice error={first.error} onRetry={() => void first.refetch()} />;
  if (total === 0) return <>{empty}</>;
  const template = columns.map(({ width }) => toTrack(width)).join(' ');
  return (
    <Box
      ref={scroller}
      role="table"
      aria-label={label}
      aria-rowcount={counted === null ? -1 : total + 1}
      className={`paged-table ${isCards ? 'paged-cards' : ''}`}
      style={{
        height: `min(${total * rowHeight + (isCards ? 2 : HEAD_HEIGHT)}px, max(320px, calc(100vh - 270px)))`,
      }}
      tabIndex={0}
    >
      <div role="rowgroup" className="paged-table-head">
        <div
          role="row"
          aria-rowindex={1}
          className="paged-table-row"
          style={{ gridTemplateColumns: template, width: leastWidthOf(columns) }}
        >
          {columns.map(({ title, align, phone }) => (
            <div
              role="columnheader"
              key={title}
              data-phone={phone ?? 'none'}
              style={{ textAlign: align ?? 'left' }}
            >
              {title}
            </div>
          ))}
        </div>
      </div>
      <div
        role="rowgroup"
        className="paged-table-body"
        style={{ height: virtual.getTotalSize(), '--row-height': `${rowHeight}px` } as CSSProperties}
      >
        {items.map(({ index, start }) => (
          <MemoizedRow
            key={index}
            row={rowAt(index)}
            columns={columns}
            pathOf={pathOf}
            index={index}
            start={start}
            template={template}
            open={open}
          />
        ))}
      </div>
    </Box>
  );
}

interface RowProps<T> {
  readonly row: T | undefined;
  readonly columns: readonly Column<T>[];
  readonly pathOf: ((row: T) => string) | undefined;
  readonly index: number;
  readonly start: number;
  readonly template: string;
  readonly open: RowOpener;
}

/** Leads to the page of a row. One for all rows: a list mounts dozens of them while it scrolls. */
interface RowOpener {
  readonly hrefOf: (path: string) => string;
  readonly go: (path: string) => void;
}

function useRowOpener(): RowOpener {
  const { teamId, environment } = useTenant();
  const navigate = useNavigate();
  return useMemo(() => {
    const toPath = (path: string) => `/${teamId}/${environment}/${path}`;
    return {
      hrefOf: (path) => `${PREFIX}/dashboard${toPath(path)}`,
      go: (path) => void navigate({ to: toPath(path) }),
    };
  }, [teamId, environment, navigate]);
}

/** Another tab, another window, a download: the browser's own. */
const isForBrowser = ({ metaKey, ctrlKey, shiftKey, altKey }: MouseEvent): boolean =>
  metaKey || ctrlKey || shiftKey || altKey;

function Row<T>({ row, columns, pathOf, index, start, template, open }: RowProps<T>) {
  const path = row === undefined ? undefined : pathOf?.(row);
  const follow = (event: MouseEvent<HTMLElement>) => {
    if (path === undefined || isForBrowser(event)) return;
    const target = (event.target as HTMLElement).closest('a,button,input,label');
    if (target && !target.classList.contains('row-anchor')) return;
    event.preventDefault();
    open.go(path);
  };
  const cell = (position: number, given: T, render: Column<T>['render']) =>
    position === 0 && path !== undefined ? (
      <a className="row-anchor" data-row-opener href={open.hrefOf(path)}>
        {render(given)}
      </a>
    ) : (
      render(given)
    );
  return (
    // The link in the first cell is what the keyboard uses; a click anywhere in the row is a convenience of the mouse.
    <div
      role="row"
      data-row
      aria-rowindex={index + 2}
      className={`paged-table-row ${path === undefined ? '' : 'row-link'}`}
      style={{
        gridTemplateColumns: template,
        width: leastWidthOf(columns),
        transform: `translateY(${start}px)`,
        position: 'absolute',
      }}
      onClick={follow}
    >
      {columns.map(({ title, render, align, phone }, position) => (
        <div role="cell" key={title} data-phone={phone ?? 'none'} style={{ textAlign: align ?? 'left' }}>
          {row === undefined ? <span className="row-placeholder" /> : cell(position, row, render)}
        </div>
      ))}
    </div>
  );
}

/** Scrolling renders the list again with every frame; rows that stay do not change. */
const MemoizedRow = memo(Row) as typeof Row;

const CELL_GAP = 12;
const ROW_PADDING = 16;
const LEAST_CELL = 120;

/** All rows are as wide as the head: each is a grid of its own, so its contents may not decide. */
const leastWidthOf = <T,>(columns: readonly Column<T>[]): number =>
  columns.reduce((sum, { width }) => sum + leastOf(width) + CELL_GAP, 2 * ROW_PADDING - CELL_GAP);

const leastOf = (width: number | string | undefined): number =>
  typeof width === 'number' ? width : Number(/(\d+)px/.exec(width ?? '')?.[1] ?? LEAST_CELL);

const toTrack = (width: number | string | undefined): string =>
  typeof width === 'number' ? `${width}px` : (width ?? 'minmax(120px, 1fr)');

/** How many rows a list has, in words. */
export const Total = ({ total, noun }: { readonly total: number | null; readonly noun: string }) => (
  <Text size="sm" c="dimmed" className="numbers" aria-live="polite">
    {total === null ? 'More than 5,000' : total.toLocaleString()} {noun}
  </Text>
);
