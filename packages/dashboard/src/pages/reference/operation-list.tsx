import { Stack, Text, TextInput, UnstyledButton } from '@mantine/core';
import { useVirtualizer } from '@tanstack/react-virtual';
import { useDeferredValue, useEffect, useMemo, useRef } from 'react';
import { IconSearch } from '../../base/icons.ts';
import type { Operation } from './document.ts';
import { MethodBadge } from './method-badge.tsx';

const HEAD_HEIGHT = 36;
const ROW_HEIGHT = 52;

type Row =
  | { readonly kind: 'tag'; readonly tag: string; readonly count: number }
  | { readonly kind: 'operation'; readonly operation: Operation };

interface OperationListProps {
  readonly operations: readonly Operation[];
  readonly search: string;
  readonly onSearch: (search: string) => void;
  readonly chosen: string | undefined;
  readonly onChoose: (operationId: string) => void;
}

/** Operations below their tags. Only those on the screen exist: the API has several hundred. */
export function OperationList({ operations, search, onSearch, chosen, onChoose }: OperationListProps) {
  const words = useDeferredValue(search);
  const rows = useMemo(() => rowsOf(operations, words), [operations, words]);
  const scroller = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: (index) => (rows[index]?.kind === 'tag' ? HEAD_HEIGHT : ROW_HEIGHT),
    overscan: 6,
  });
  useEffect(() => {
    virtual.measure();
  }, [rows, virtual]);
  useEffect(() => {
    const at = rows.findIndex((row) => row.kind === 'operation' && row.operation.operationId === chosen);
    if (at >= 0) virtual.scrollToIndex(at, { align: 'auto' });
  }, [chosen, rows, virtual]);
  return (
    <Stack gap="xs">
      <TextInput
        aria-label="Search operations"
        placeholder={`Search ${operations.length} operations`}
        data-search
        leftSection={<IconSearch size={15} />}
        value={search}
        onChange={(event) => onSearch(event.currentTarget.value)}
      />
      <div ref={scroller} className="operation-list" role="list" aria-label="Operations" tabIndex={0}>
        {rows.length === 0 && (
          <Text size="sm" p="sm" role="listitem">
            No operation has these words.
          </Text>
        )}
        <div style={{ height: virtual.getTotalSize(), position: 'relative' }} role="presentation">
          {virtual.getVirtualItems().map(({ index, start, size }) => (
            <div
              key={index}
              role="listitem"
              style={{
                position: 'absolute',
                top: 0,
                left: 0,
                right: 0,
                height: size,
                transform: `translateY(${start}px)`,
              }}
            >
              <RowView row={rows[index]} chosen={chosen} onChoose={onChoose} />
            </div>
          ))}
        </div>
      </div>
    </Stack>
  );
}

interface RowViewProps {
  readonly row: Row | undefined;
  readonly chosen: string | undefined;
  readonly onChoose: (operationId: string) => void;
}

function RowView({ row, chosen, onChoose }: RowViewProps) {
  if (!row) return null;
  if (row.kind === 'tag')
    return (
      <Text size="xs" fw={600} c="dimmed" px="sm" pt="sm">
        {row.tag} · {row.count}
      </Text>
    );
  const { operationId, method, path, summary } = row.operation;
  return (
    <UnstyledButton
      className="operation-row"
      aria-current={operationId === chosen ? 'true' : undefined}
      onClick={() => onChoose(operationId)}
    >
      <MethodBadge method={method} />
      <span className="operation-row-text">
        <Text size="sm" fw={500} truncate>
          {summary ?? operationId}
        </Text>
        <Text size="xs" ff="monospace" c="dimmed" truncate>
          {path}
        </Text>
      </span>
    </UnstyledButton>
  );
}

function rowsOf(operations: readonly Operation[], search: string): readonly Row[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  const found = operations.filter((operation) => words.every((word) => operation.words.includes(word)));
  return [...new Set(found.map(({ tag }) => tag))].flatMap((tag) => {
    const of = found.filter((operation) => operation.tag === tag);
    return [
      { kind: 'tag' as const, tag, count: of.length },
      ...of.map((operation) => ({ kind: 'operation' as const, operation })),
    ];
  });
}
