import { Button, Group, Select, Stack, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { IconSearch } from '../../base/icons.ts';
import { useUrlState } from '../../base/url-state.ts';
import { DataTable, type Column } from '../../components/data-table.tsx';
import {
  MarkerNames,
  methodName,
  METHODS,
  printPrice,
  useLabTests,
  type CollectionMethod,
  type LabTest,
} from '../../components/lab-tests.tsx';
import { MarkerSearch, type ChosenMarker } from '../../components/marker-search.tsx';
import { sentence } from '../../components/person-fields.ts';
import { EmptyState, ErrorNotice, Loading } from '../../components/states.tsx';
import { CopyId, StatusBadge } from '../../components/values.tsx';

const COLUMNS: readonly Column<LabTest>[] = [
  { title: 'Lab test', phone: 'title', render: ({ name }) => name },
  { title: 'Status', phone: 'state', render: ({ status }) => <StatusBadge status={status} /> },
  { title: 'Laboratory', phone: 'detail', render: ({ lab }) => lab?.name ?? '–' },
  { title: 'Method', render: ({ method }) => methodName(method) },
  { title: 'Sample', render: ({ sample_type: sample }) => sentence(sample) },
  { title: 'Markers', render: ({ markers }) => <MarkerNames markers={markers} shown={2} /> },
  {
    title: 'Price',
    phone: 'aside',
    align: 'right',
    render: ({ price }) => <span className="numbers">{printPrice(price)}</span>,
  },
  { title: 'Id', render: ({ id }) => <CopyId id={id} /> },
];

const STATUSES = ['active', 'pending_approval', 'inactive'] as const;

const STATUS_OPTIONS = STATUSES.map((value) => ({ value, label: sentence(value) }));

const METHOD_OPTIONS = METHODS.map(({ value, label }) => ({ value, label }));

export function LabTestsTab() {
  const [url, setUrl] = useUrlState();
  const [markers, setMarkers] = useState<readonly ChosenMarker[]>([]);
  const labs = api.useQuery('get', '/v3/lab_tests/labs');
  const tests = useLabTests({
    name: url['name'],
    lab_slug: url['lab'],
    collection_method: METHODS.find(({ value }) => value === url['method'])?.value,
    status: STATUSES.find((status) => status === url['status']),
    marker_ids: markers.map(({ id }) => id),
    generation_method: url['generated'] === '1' ? 'all' : 'manual',
  });
  const rows = tests.data?.pages.flatMap((page) => page.rows) ?? [];
  return (
    <Stack>
      <Group gap="xs" align="flex-end">
        <NameFilter />
        <Select
          aria-label="Laboratory"
          placeholder="Laboratory"
          clearable
          searchable
          w={180}
          data={(labs.data ?? []).map(({ slug, name }) => ({ value: slug, label: name }))}
          value={url['lab'] ?? null}
          onChange={(lab) => setUrl({ lab: lab ?? undefined })}
        />
        <Select
          aria-label="Collection method"
          placeholder="Method"
          clearable
          w={140}
          data={METHOD_OPTIONS}
          value={(url['method'] as CollectionMethod | undefined) ?? null}
          onChange={(method) => setUrl({ method: method ?? undefined })}
        />
        <Select
          aria-label="Status"
          placeholder="Status"
          clearable
          w={160}
          data={STATUS_OPTIONS}
          value={STATUSES.find((status) => status === url['status']) ?? null}
          onChange={(status) => setUrl({ status: status ?? undefined })}
        />
        <div style={{ minWidth: 240, flex: '1 1 240px' }}>
          <MarkerSearch label="" placeholder="With these markers" value={markers} onChange={setMarkers} />
        </div>
      </Group>
      {tests.isPending && <Loading />}
      {tests.error && <ErrorNotice error={tests.error} onRetry={() => void tests.refetch()} />}
      {tests.data && (
        <DataTable
          label="Lab tests"
          columns={COLUMNS}
          rows={rows}
          keyOf={({ id }) => id}
          pathOf={({ id }) => `catalog/${id}`}
          empty={
            <EmptyState title="No lab test" call="POST /v3/lab_tests">
              A lab test is what you order: some markers of one laboratory, with the way the sample is taken.
              None has these filters.
            </EmptyState>
          }
        />
      )}
      {tests.hasNextPage && (
        <Group justify="center">
          <Button
            variant="default"
            loading={tests.isFetchingNextPage}
            onClick={() => void tests.fetchNextPage()}
          >
            Load more
          </Button>
        </Group>
      )}
    </Stack>
  );
}

function NameFilter() {
  const [url, setUrl] = useUrlState();
  const [text, setText] = useState(url['name'] ?? '');
  const apply = useDebouncedCallback((name: string) => setUrl({ name: name || undefined }), 200);
  return (
    <TextInput
      aria-label="Name of the lab test"
      placeholder="Name"
      data-search
      leftSection={<IconSearch size={16} />}
      value={text}
      onChange={(event) => {
        setText(event.target.value);
        apply(event.target.value.trim());
      }}
      w={200}
    />
  );
}
