import { Group, Select, Stack, Text, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { useState } from 'react';
import { api, client } from '../../api/client.ts';
import type { components } from '../../api/openapi.d.ts';
import { IconSearch } from '../../base/icons.ts';
import { useUrlState } from '../../base/url-state.ts';
import { DataTable, type Column } from '../../components/data-table.tsx';
import { LabName } from '../../components/lab-name.tsx';
import { loincsOf, printDays, printPrice, type Marker } from '../../components/lab-tests.tsx';
import { PagedTable } from '../../components/paged-table.tsx';
import { sentence } from '../../components/person-fields.ts';
import { EmptyState, Loaded } from '../../components/states.tsx';
import { MarkerDetails } from './marker-details.tsx';

type Candidate = components['schemas']['PerLabCandidate'];
type Lab = components['schemas']['ClientFacingLab'];

const PAGE_SIZE = 50;
const FOUND_MAX = 20;
const LOINC = /^\d{1,7}-\d$/;

const columnsOf = (labs: readonly Lab[]): readonly Column<Marker>[] => [
  {
    title: 'Marker',
    phone: 'title',
    render: (marker) => <MarkerDetails marker={marker} />,
    width: 'minmax(220px, 2fr)',
  },
  {
    title: 'Laboratory',
    phone: 'detail',
    render: ({ lab_id: id }) => labs.find((lab) => lab.id === id)?.name ?? '–',
    width: 170,
  },
  { title: 'Code', render: ({ provider_id: code }) => code ?? '–', width: 110 },
  { title: 'LOINC', phone: 'aside', render: (marker) => printLoincs(marker), width: 180 },
  { title: 'Kind', render: ({ type }) => (type === null ? '–' : sentence(type)), width: 100 },
  { title: 'Unit', render: ({ unit }) => unit ?? '–', width: 100 },
  { title: 'Price', phone: 'state', align: 'right', render: ({ price }) => printPrice(price), width: 90 },
  {
    title: 'Results in',
    render: (one) => printDays(one.common_tat_days, one.worst_case_tat_days),
    width: 120,
  },
];

function printLoincs(marker: Marker): string {
  const [first, ...others] = loincsOf(marker);
  if (first === undefined) return '–';
  return others.length === 0 ? first : `${first} and ${others.length} more`;
}

/** Markers by name, or by LOINC code: a text such as 2345-7 asks the compendium. */
export function MarkersTab() {
  const [url, setUrl] = useUrlState();
  const name = url['name'] ?? '';
  const [text, setText] = useState(name);
  const apply = useDebouncedCallback((next: string) => setUrl({ name: next || undefined }), 150);
  const labs = api.useQuery('get', '/v3/lab_tests/labs');
  return (
    <Stack>
      <Group gap="xs">
        <TextInput
          aria-label="Search markers"
          placeholder="Name, or LOINC such as 2345-7"
          data-search
          leftSection={<IconSearch size={16} />}
          value={text}
          onChange={(event) => {
            setText(event.target.value);
            apply(event.target.value.trim());
          }}
          w={280}
        />
        <Select
          aria-label="Laboratory"
          placeholder="Laboratory"
          clearable
          searchable
          w={200}
          data={(labs.data ?? []).map(({ slug, name: label }) => ({ value: slug, label }))}
          value={url['lab'] ?? null}
          onChange={(lab) => setUrl({ lab: lab ?? undefined })}
        />
      </Group>
      {LOINC.test(name) ? (
        <ByLoinc code={name} labSlug={url['lab']} />
      ) : (
        <ByName name={name} labSlug={url['lab']} labs={labs.data ?? []} />
      )}
    </Stack>
  );
}

interface ByNameProps {
  readonly name: string;
  readonly labSlug: string | undefined;
  readonly labs: readonly Lab[];
}

const ByName = ({ name, labSlug, labs }: ByNameProps) => (
  <PagedTable
    label="Markers"
    columns={columnsOf(labs)}
    keyOf={({ id }) => String(id)}
    pageSize={PAGE_SIZE}
    queryKey={['get', '/v3/lab_tests/markers', { name, labSlug }]}
    fetchPage={async (page) => {
      const query = {
        name,
        page,
        size: PAGE_SIZE,
        ...(labSlug === undefined ? {} : { lab_slug: labSlug }),
      };
      const { data } = await client.GET('/v3/lab_tests/markers', { params: { query } });
      return { rows: data?.markers ?? [], total: data?.total ?? 0 };
    }}
    empty={
      <EmptyState title="No marker found" call="GET /v3/lab_tests/markers">
        A marker is what a laboratory measures, such as glucose, or a panel of several. None has this name.
      </EmptyState>
    }
  />
);

const CANDIDATE_COLUMNS: readonly Column<Candidate>[] = [
  { title: 'Marker', phone: 'title', render: ({ name }) => name },
  {
    title: 'Laboratory',
    phone: 'detail',
    render: ({ lab_slug: slug }) => (slug === null ? '–' : <LabName slug={slug} />),
  },
  { title: 'Code', render: ({ provider_id: code }) => code ?? '–' },
  {
    title: 'LOINC',
    phone: 'line',
    render: ({ loinc_codes: codes }) => (
      <Text size="sm" lineClamp={2}>
        {codes.join(', ')}
      </Text>
    ),
  },
  { title: 'Relation', phone: 'state', render: ({ relation }) => sentence(relation) },
  {
    title: 'Results',
    phone: 'line',
    render: ({ result_names: names }) => (
      <Text size="sm" lineClamp={2}>
        {names.join(', ')}
      </Text>
    ),
  },
];

function ByLoinc({ code, labSlug }: { readonly code: string; readonly labSlug: string | undefined }) {
  const found = api.useQuery('post', '/v3/compendium/search', {
    body: { mode: 'crosswalk', query: code, cpt_codes: [], include_related: false, limit: FOUND_MAX },
  });
  return (
    <Loaded query={found}>
      {({ per_lab: byLab }) => (
        <Stack gap="xs">
          <Text size="sm">
            Markers of the laboratories whose results have LOINC {code}, or are related to it.
          </Text>
          <DataTable
            label={`Markers with LOINC ${code}`}
            columns={CANDIDATE_COLUMNS}
            rows={Object.values(byLab)
              .flat()
              .filter(({ lab_slug: slug }) => labSlug === undefined || slug === labSlug)}
            keyOf={({ marker_id: id }) => String(id)}
            empty={<EmptyState title="No marker has this LOINC">Search by a part of its name.</EmptyState>}
          />
        </Stack>
      )}
    </Loaded>
  );
}
