import { Badge, Group, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { client } from '../api/client.ts';
import type { components } from '../api/openapi.d.ts';
import { sentence } from './person-fields.ts';

export type LabTest = components['schemas']['ClientFacingLabTest'];
export type Marker = components['schemas']['ClientFacingMarkerComplete'];
export type CollectionMethod = LabTest['method'];

interface LabTestFilter {
  readonly name?: string | undefined;
  readonly lab_slug?: string | undefined;
  readonly collection_method?: CollectionMethod | undefined;
  readonly status?: LabTest['status'] | undefined;
  readonly marker_ids?: readonly number[] | undefined;
  readonly generation_method?: 'auto' | 'manual' | 'all';
}

const PAGE_SIZE = 30;

/** Lab tests page by page, the newest first. */
export const useLabTests = (filter: LabTestFilter) =>
  useInfiniteQuery({
    queryKey: ['get', '/v3/lab_test', filter],
    initialPageParam: undefined as string | undefined,
    queryFn: async ({ pageParam }) => {
      const { marker_ids: markerIds, ...others } = filter;
      const query = {
        ...Object.fromEntries(Object.entries(others).filter(([, value]) => value !== undefined)),
        ...(markerIds && markerIds.length > 0 ? { marker_ids: [...markerIds] } : {}),
        lab_test_limit: PAGE_SIZE,
        ...(pageParam === undefined ? {} : { next_cursor: pageParam }),
      };
      const { data } = await client.GET('/v3/lab_test', { params: { query } });
      return { rows: data?.data ?? [], next: data?.next_cursor ?? undefined };
    },
    getNextPageParam: ({ next }) => next,
    placeholderData: (before) => before,
  });

export const METHODS: readonly {
  readonly value: CollectionMethod;
  readonly label: string;
  readonly text: string;
}[] = [
  {
    value: 'testkit',
    label: 'Test kit',
    text: 'A kit is sent to the patient, who sends the sample to the laboratory.',
  },
  {
    value: 'walk_in_test',
    label: 'Walk-in',
    text: 'The patient goes to a patient service center of the laboratory.',
  },
  {
    value: 'at_home_phlebotomy',
    label: 'At home',
    text: 'A phlebotomist visits the patient and draws the blood.',
  },
  { value: 'on_site_collection', label: 'On site', text: 'You draw the sample at your own place.' },
];

export const methodName = (method: string): string =>
  METHODS.find(({ value }) => value === method)?.label ?? sentence(method);

const DOLLARS = new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD' });

export const printPrice = (price: number | string | null | undefined): string =>
  price === null || price === undefined ? '–' : DOLLARS.format(Number(price));

/** `1` and `3` become "1 to 3 days". */
export function printDays(common: number | null, worst: number | null): string {
  if (common === null && worst === null) return '–';
  if (common === null || worst === null || common === worst) return `${common ?? worst} days`;
  return `${common} to ${worst} days`;
}

/** The first names of the markers, and how many more there are. */
export function MarkerNames({
  markers,
  shown = 3,
}: {
  readonly markers: LabTest['markers'];
  readonly shown?: number;
}) {
  const names = (markers ?? []).map(({ name }) => name);
  if (names.length === 0) return <Text span>–</Text>;
  return (
    <Group gap={4}>
      {names.slice(0, shown).map((name) => (
        <Badge key={name} variant="default" tt="none" fw={500} radius="sm">
          {name}
        </Badge>
      ))}
      {names.length > shown && <Text size="xs">+{names.length - shown}</Text>}
    </Group>
  );
}

/** The LOINC codes that a marker's results have. */
export const loincsOf = ({ expected_results: results }: Pick<Marker, 'expected_results'>): string[] => [
  ...new Set(results.flatMap(({ loinc }) => (loinc ? [loinc.code] : []))),
];
