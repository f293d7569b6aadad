import {
  Button,
  Collapse,
  Group,
  MultiSelect,
  Select,
  SimpleGrid,
  TextInput,
  type MultiSelectProps,
} from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { useState } from 'react';
import type { paths } from '../../api/openapi.d.ts';
import { IconFilter, IconSearch } from '../../base/icons.ts';
import { useUrlState } from '../../base/url-state.ts';
import { METHOD_NAMES } from './order-data.ts';

export type OrderQuery = NonNullable<paths['/v3/orders']['get']['parameters']['query']>;
type Filters = Readonly<Record<string, string>>;

const words = (values: readonly string[]) =>
  values.map((value) => ({ value, label: value.replaceAll('_', ' ') }));

/** The steps of all methods, in the order in which an order takes them. */
const STATUSES = [
  {
    group: 'Received',
    items: words([
      'ordered',
      'awaiting_registration',
      'testkit_registered',
      'requisition_created',
      'requisition_bypassed',
    ]),
  },
  {
    group: 'Collecting',
    items: words([
      'transit_customer',
      'out_for_delivery',
      'problem_in_transit_customer',
      'with_customer',
      'appointment_pending',
      'appointment_scheduled',
      'appointment_cancelled',
      'draw_completed',
      'redraw_available',
      'transit_lab',
      'problem_in_transit_lab',
    ]),
  },
  {
    group: 'With the laboratory',
    items: words(['delivered_to_lab', 'lab_processing_blocked', 'partial_results']),
  },
  {
    group: 'Ended',
    items: words([
      'completed',
      'corrected',
      'cancelled',
      'do_not_process',
      'failure_to_deliver_to_customer',
      'failure_to_deliver_to_lab',
      'lost',
      'sample_error',
    ]),
  },
];

const METHODS = Object.entries(METHOD_NAMES).map(([value, label]) => ({ value, label }));
const SORTS = [
  { value: '', label: 'Newest first' },
  { value: 'created_at.asc', label: 'Oldest first' },
  { value: 'last_status.asc', label: 'By status' },
  { value: 'patient_name.asc', label: 'By patient' },
];

/** Fields that stand in the URL; each has the name of the parameter of the API. */
const DATES = [
  { name: 'start_date', label: 'Created from' },
  { name: 'end_date', label: 'Created until' },
  { name: 'updated_start_date', label: 'Changed from' },
  { name: 'updated_end_date', label: 'Changed until' },
] as const;
const IDS = [
  { name: 'user_id', label: 'User id' },
  { name: 'order_transaction_id', label: 'Order transaction id' },
] as const;
const SHOWN_WHEN_SET = [...DATES, ...IDS]
  .map(({ name }) => name as string)
  .concat('activation', 'interpretation');

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** The filters of the URL as the API takes them. What is no id is not sent: the API would refuse the whole list. */
export function toOrderQuery(filters: Filters, search: string): OrderQuery {
  const { status, method, critical, interpretation, activation, sort } = filters;
  const [key, direction] = (sort ?? '').split('.');
  const given = {
    search_input: search.trim() || undefined,
    status: status?.split(','),
    order_type: method?.split(','),
    is_critical: critical === 'true' ? true : undefined,
    interpretation,
    order_activation_types: activation === undefined ? undefined : [activation],
    order_key: key || undefined,
    order_direction: direction,
    ...Object.fromEntries(DATES.map(({ name }) => [name, filters[name]])),
    ...Object.fromEntries(
      IDS.map(({ name }) => [name, UUID.test(filters[name] ?? '') ? filters[name] : undefined]),
    ),
  };
  // The values come from the lists above, or from a URL; the API checks them.
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as OrderQuery;
}

interface OrderFiltersProps {
  /** The name or the id that is searched: in memory only, because it may name a patient. */
  readonly onSearch: (text: string) => void;
}

export function OrderFilters({ onSearch }: OrderFiltersProps) {
  const [filters, setFilters] = useUrlState();
  const [text, setText] = useState('');
  const [isOpen, setOpen] = useState(() => SHOWN_WHEN_SET.some((name) => filters[name] !== undefined));
  const search = useDebouncedCallback(onSearch, 250);
  const isFiltered = Object.keys(filters).length > 0 || text !== '';
  const clear = () => {
    setText('');
    onSearch('');
    setFilters(Object.fromEntries(Object.keys(filters).map((name) => [name, undefined])));
  };
  return (
    <>
      <Group gap="xs" align="flex-end">
        <TextInput
          aria-label="Search by patient, order id, sample id or your user id"
          placeholder="Patient, order, sample or your user id"
          data-search
          leftSection={<IconSearch size={15} />}
          value={text}
          onChange={(event) => {
            setText(event.currentTarget.value);
            search(event.currentTarget.value);
          }}
          style={{ flex: '1 1 240px' }}
        />
        <Many name="status" label="Status" data={STATUSES} />
        <Many name="method" label="Method" data={METHODS} />
        <Select
          aria-label="Critical results"
          placeholder="Any result"
          data={[{ value: 'true', label: 'Critical only' }]}
          value={filters['critical'] ?? null}
          onChange={(critical) => setFilters({ critical: critical ?? undefined })}
          clearable
          w={140}
        />
        <Button
          variant="default"
          leftSection={<IconFilter size={15} />}
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
        >
          More
        </Button>
        {isFiltered && (
          <Button variant="subtle" onClick={clear}>
            Clear
          </Button>
        )}
      </Group>
      <Collapse expanded={isOpen}>
        <MoreFilters />
      </Collapse>
    </>
  );
}

type Choices = NonNullable<MultiSelectProps<string>['data']>;

function Many({
  name,
  label,
  data,
}: {
  readonly name: string;
  readonly label: string;
  readonly data: Choices;
}) {
  const [filters, setFilters] = useUrlState();
  const value = filters[name]?.split(',') ?? [];
  return (
    <MultiSelect
      aria-label={label}
      placeholder={value.length === 0 ? label : ''}
      data={data}
      value={value}
      onChange={(chosen) => setFilters({ [name]: chosen.join(',') })}
      searchable={value.length === 0}
      clearable
      hidePickedOptions
      w={value.length === 0 ? 150 : 320}
    />
  );
}

function MoreFilters() {
  const [filters, setFilters] = useUrlState();
  const one = (name: string, label: string, values: readonly string[]) => (
    <Select
      label={label}
      placeholder="Any"
      data={words(values)}
      value={filters[name] ?? null}
      onChange={(value) => setFilters({ [name]: value ?? undefined })}
      clearable
    />
  );
  return (
    <SimpleGrid cols={{ base: 1, xs: 2, md: 4 }} spacing="sm">
      {DATES.map(({ name, label }) => (
        <TextInput
          key={name}
          type="date"
          label={label}
          value={filters[name] ?? ''}
          onChange={(event) => setFilters({ [name]: event.currentTarget.value })}
        />
      ))}
      {one('interpretation', 'Interpretation', ['normal', 'abnormal', 'critical', 'unknown'])}
      {one('activation', 'Release', ['current', 'scheduled'])}
      {IDS.map(({ name, label }) => (
        <TextInput
          key={name}
          label={label}
          value={filters[name] ?? ''}
          error={
            (filters[name] ?? '') !== '' && !UUID.test(filters[name] ?? '') ? 'This is no id' : undefined
          }
          onChange={(event) => setFilters({ [name]: event.currentTarget.value.trim() })}
        />
      ))}
      <Select
        label="Sort"
        data={SORTS}
        value={filters['sort'] ?? ''}
        onChange={(sort) => setFilters({ sort: sort ?? '' })}
        allowDeselect={false}
      />
    </SimpleGrid>
  );
}
