import { Anchor, Group, Stack, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useTenantPath } from '../../base/tenant.ts';
import { Chart, Legend } from '../../components/chart.tsx';
import type { Series } from '../../components/charts.tsx';
import { DataTable, type Column } from '../../components/data-table.tsx';
import { Section } from '../../components/page.tsx';
import { Loaded } from '../../components/states.tsx';
import { StatusBadge, TimeText } from '../../components/values.tsx';
import { useValuesOf, type UserMarker, type UserResult } from './results.ts';

const ORDERED: Series = { name: 'ordered', label: 'From orders', kind: 'line', color: 'accent' };
const UPLOADED: Series = {
  name: 'uploaded',
  label: 'From uploaded lab reports',
  kind: 'line',
  color: 'orange',
};
const IN_REVIEW: Series = {
  name: 'inReview',
  label: 'In review, not confirmed',
  kind: 'line',
  color: 'gray',
};
const BAND: Series = {
  name: 'band',
  label: 'Reference range of the newest confirmed value',
  kind: 'band',
  color: 'teal',
};

const seriesOf = ({ source, state }: UserResult): Series =>
  state === 'in_review' ? IN_REVIEW : source === 'order' ? ORDERED : UPLOADED;

const COLUMNS: readonly Column<UserResult>[] = [
  { title: 'Time', render: (value) => <MeasuredAt value={value} /> },
  {
    title: 'Value',
    align: 'right',
    render: ({ result, unit }) => (
      <Text span inherit className="numbers" fw={500}>
        {result} {unit}
      </Text>
    ),
  },
  { title: 'Reference', render: ({ reference_range: range }) => range ?? '–' },
  { title: 'Interpretation', render: ({ interpretation }) => <StatusBadge status={interpretation} /> },
  {
    title: 'Source',
    render: (value) => (
      <Group gap="xs">
        <SourceLink value={value} />
        {value.state !== 'confirmed' && <StatusBadge status={value.state} />}
      </Group>
    ),
  },
];

const TIME_OF: Readonly<Record<UserResult['measured_at_source'], string | null>> = {
  observed: null,
  collected: null,
  reported: 'reported',
  uploaded: 'uploaded; the report has no date',
};

/** Anything but the time of the measurement is named. */
const MeasuredAt = ({ value }: { readonly value: UserResult }) => (
  <>
    <TimeText value={value.measured_at} />
    {TIME_OF[value.measured_at_source] !== null && (
      <Text size="xs" c="dimmed">
        {TIME_OF[value.measured_at_source]}
      </Text>
    )}
  </>
);

function SourceLink({ value }: { readonly value: UserResult }) {
  const pathOf = useTenantPath();
  const isOrder = value.source === 'order';
  return (
    <Anchor
      component={Link}
      to={pathOf(isOrder ? `orders/${value.order_id}` : `desks/reports/${value.lab_report_job_id}`)}
      fz="sm"
    >
      {value.source_name ?? (isOrder ? 'Order' : 'Lab report')}
    </Anchor>
  );
}

interface MarkerViewProps {
  readonly userId: string;
  readonly marker: UserMarker;
}

export function MarkerView({ userId, marker }: MarkerViewProps) {
  const values = useValuesOf(userId, marker);
  const { name, loinc } = marker;
  return (
    <Section title={name} actions={loinc !== null && <Text size="xs">LOINC {loinc}</Text>}>
      <Loaded query={values}>
        {(rows) => (
          <Stack>
            <ValueChart marker={marker} values={rows} />
            <DataTable
              label={`Values of ${name}`}
              columns={COLUMNS}
              rows={rows}
              keyOf={(row) => String(rows.indexOf(row))}
            />
          </Stack>
        )}
      </Loaded>
    </Section>
  );
}

function ValueChart({
  marker: { name, unit },
  values,
}: {
  marker: UserMarker;
  values: readonly UserResult[];
}) {
  const numbers = values.filter(({ value }) => value !== null).toReversed();
  if (numbers.length === 0)
    return <Text size="sm">The results of this marker are no numbers, so there is no chart.</Text>;
  const reference = values.find(({ state }) => state === 'confirmed');
  const band =
    reference && (reference.min_range_value !== null || reference.max_range_value !== null)
      ? { low: reference.min_range_value, high: reference.max_range_value }
      : undefined;
  const series = [ORDERED, UPLOADED, IN_REVIEW].filter((one) =>
    numbers.some((value) => seriesOf(value) === one),
  );
  return (
    <>
      <Chart
        label={`${name} over time, ${numbers.length} values${unit === null ? '' : ` in ${unit}`}`}
        points={numbers.map((value) => ({
          at: Date.parse(value.measured_at),
          [seriesOf(value).name]: value.value,
        }))}
        series={series}
        unit={unit ?? ''}
        scale="time"
        height={260}
        {...(band ? { reference: band } : {})}
      />
      <Legend series={band ? [...series, BAND] : series} />
    </>
  );
}
