import type { PriorityResource } from '../../provider-settings/provider-settings.ts';
import { COUNTED_RESOURCES, type CountedResource } from '../../wearables/wearables.ts';
import type { SummaryResource, TimeseriesName } from '../../readings/readings.ts';
import type { AggregationColumn, AggregationRow, RowSource } from './row.ts';
import {
  ACTIVITY_COLUMNS,
  BODY_COLUMNS,
  parseDay,
  MEAL_COLUMNS,
  MENSTRUAL_CYCLE_COLUMNS,
  PROFILE_COLUMNS,
  SLEEP_COLUMNS,
  WORKOUT_COLUMNS,
  type ColumnReaders,
} from './summary-columns.ts';
import { listSampleColumns } from './timeseries-columns.ts';

/** The input of a query: the summaries or the samples of one resource. */
export interface AggregationTable {
  /** The table's name in where clauses. */
  readonly name: string;
  readonly reads:
    | { readonly kind: 'summaries'; readonly resource: SummaryResource; readonly index: IndexField }
    | { readonly kind: 'samples'; readonly resource: TimeseriesName };
  /** The resource whose source priorities apply; null if teams cannot set any. */
  readonly priority: PriorityResource | null;
  readonly index: AggregationColumn;
  readonly columns: ReadonlyMap<string, AggregationColumn>;
}

/** The field of a summary with its time, which is a day or a timestamp. */
interface IndexField {
  readonly field: string;
  readonly kind: 'moment' | 'day';
}

interface SummaryTableDefinition {
  readonly resource: SummaryResource;
  readonly index: IndexField;
  readonly priority: PriorityResource | null;
  readonly columns: ColumnReaders;
}

const dayIndex = (field: string): IndexField => ({ field, kind: 'day' });
const timestampIndex = (field: string): IndexField => ({ field, kind: 'moment' });

// prettier-ignore
const SUMMARY_TABLES: Readonly<Record<string, SummaryTableDefinition>> = {
  activity:        { resource: 'activity',        index: dayIndex('calendar_date'),   priority: 'activity', columns: ACTIVITY_COLUMNS },
  sleep:           { resource: 'sleep',           index: timestampIndex('bedtime_stop'), priority: 'sleep',    columns: SLEEP_COLUMNS },
  workout:         { resource: 'workouts',        index: timestampIndex('time_start'),   priority: 'workouts', columns: WORKOUT_COLUMNS },
  body:            { resource: 'body',            index: dayIndex('calendar_date'),   priority: 'body',     columns: BODY_COLUMNS },
  meal:            { resource: 'meal',            index: timestampIndex('timestamp'),    priority: null,       columns: MEAL_COLUMNS },
  menstrual_cycle: { resource: 'menstrual_cycle', index: dayIndex('period_start'),    priority: null,       columns: MENSTRUAL_CYCLE_COLUMNS },
  profile:         { resource: 'profile',         index: timestampIndex('updated_at'),   priority: null,       columns: PROFILE_COLUMNS },
};

export const SUMMARY_TABLE_NAMES = Object.keys(SUMMARY_TABLES);

const SOURCE_FIELDS: Readonly<Record<string, (source: RowSource) => string | null>> = {
  source_provider: ({ provider }) => provider,
  source_type: ({ type }) => type,
  source_app_id: ({ appId }) => appId,
  source_device_id: ({ deviceId }) => deviceId,
  source_workout_id: ({ workoutId }) => workoutId,
  source_sport: ({ sport }) => sport,
};

/** A column of the row's source; every table has these. */
export const findSourceColumn = (name: string): AggregationColumn | undefined => {
  const of = SOURCE_FIELDS[name];
  return of && { name, kind: 'text', of: ({ source }: AggregationRow) => of(source) };
};

const listSourceColumns = (names: readonly string[]): [string, AggregationColumn][] =>
  names.flatMap((name) => {
    const column = findSourceColumn(name);
    return column ? [[name, column] as [string, AggregationColumn]] : [];
  });

const SUMMARY_SOURCE_FIELDS = ['source_provider', 'source_type', 'source_app_id', 'source_device_id'];
// prettier-ignore
const SAMPLE_SOURCE_FIELDS = ['source_provider', 'source_type', 'source_app_id', 'source_workout_id', 'source_sport'];

const summaryTables = new Map(
  Object.entries(SUMMARY_TABLES).map(([name, row]) => [name, createSummaryTable(name, row)]),
);

function createSummaryTable(
  name: string,
  { resource, index, priority, columns }: SummaryTableDefinition,
): AggregationTable {
  const own = Object.entries(columns).map(([column, read]): [string, AggregationColumn] => [
    column,
    { name: column, ...read },
  ]);
  return {
    name,
    reads: { kind: 'summaries', resource, index },
    priority,
    index: { name: 'index', kind: index.kind, of: ({ at }) => at },
    columns: new Map([...own, ...listSourceColumns(SUMMARY_SOURCE_FIELDS)]),
  };
}

export const findSummaryTable = (name: string): AggregationTable | undefined => summaryTables.get(name);

export const createSampleTable = (resource: TimeseriesName): AggregationTable => ({
  name: 'timeseries',
  reads: { kind: 'samples', resource },
  priority: 'timeseries',
  index: { name: 'index', kind: 'moment', of: ({ at }) => at },
  columns: new Map([...listSampleColumns(resource), ...listSourceColumns(SAMPLE_SOURCE_FIELDS)]),
});

/**
 * The table's resource if several devices can count it at the same time; its sums are merged, see docs/reference/aggregation.md.
 */
export const findCountedResource = ({ reads }: AggregationTable): CountedResource | undefined =>
  COUNTED_RESOURCES.find((one) => one === reads.resource);

/**
 * The time of a summary, in milliseconds: local midnight for a day, UTC for a timestamp. Null if missing or invalid.
 */
export function readIndex(fields: Readonly<Record<string, unknown>>, { field, kind }: IndexField) {
  const value = fields[field];
  const parsed = kind === 'day' ? parseDay(value) : Date.parse(String(value));
  return parsed === null || Number.isNaN(parsed) ? null : parsed;
}
