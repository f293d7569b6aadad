import { z } from 'zod';
import { LABS } from '../../provider-settings/provider-settings.ts';
import { DateInput } from '../../platform/timestamp-input.ts';
import { openEnum } from '../../platform/open-enum.ts';
import { PROVIDERS } from '../../readings/schema.ts';
import { AGGREGATE_FUNCTIONS } from './aggregates.ts';
import { DATE_PARTS, PERIOD_UNITS } from './local-time.ts';
import { QUERY_BATCH_EXAMPLE } from './query-example.ts';
import { SUMMARY_TABLE_NAMES, findSummaryTable } from './tables.ts';
import { DISCRETE_TIMESERIES, INTERVAL_TIMESERIES, TEMPERATURE_TIMESERIES } from './timeseries-columns.ts';

/*
 * The wire format of queries. Column names are open lists in the schema: planning resolves them, so that its error can
 * name the unknown column.
 */

const PERIOD_MAX = 100_000;
const SELECT_MAX = 100;
const GROUP_BY_MAX = 8;
const WHERE_LENGTH_MAX = 4000;

const PeriodExpr = z
  .object({
    value: z.int().min(1).max(PERIOD_MAX).default(1).describe('Number of units. Default: 1.'),
    unit: z.enum(PERIOD_UNITS).describe('Calendar unit of local time; weeks start on Monday.'),
  })
  .meta({ id: 'Period' });
const Placeholder = z
  .object({ placeholder: z.literal(true).describe('Always true.') })
  .meta({ id: 'Placeholder' });

const listColumnNames = (table: string) => [...(findSummaryTable(table)?.columns.keys() ?? [])];
const columnNameSchema = (table: string) =>
  openEnum(listColumnNames(table)).describe(`A column of the ${table} table.`);

const SleepColumn = z.object({ sleep: columnNameSchema('sleep') }).meta({ id: 'SleepColumnExpr' });
// prettier-ignore
const READINESS = [
  'date', 'chronotype', 'sleep_score', 'recovery_score', 'recovery_zone', 'stress_score', 'strain_score', 'strain_zone',
];
const ReadinessColumn = z
  .object({ derived_readiness: openEnum(READINESS).describe('Not supported: queries with it are rejected.') })
  .meta({ id: 'DerivedReadinessColumnExpr' });
const ActivityColumn = z
  .object({ activity: columnNameSchema('activity') })
  .meta({ id: 'ActivityColumnExpr' });
const WorkoutColumn = z.object({ workout: columnNameSchema('workout') }).meta({ id: 'WorkoutColumnExpr' });
const BodyColumn = z.object({ body: columnNameSchema('body') }).meta({ id: 'BodyColumnExpr' });
const MealColumn = z.object({ meal: columnNameSchema('meal') }).meta({ id: 'MealColumnExpr' });
const CycleColumn = z
  .object({ menstrual_cycle: columnNameSchema('menstrual_cycle') })
  .meta({ id: 'MenstrualCycleColumnExpr' });
const ProfileColumn = z.object({ profile: columnNameSchema('profile') }).meta({ id: 'ProfileColumnExpr' });

const macroColumn = (value: string, id: string) =>
  z
    .object({
      value_macro: z.literal(value).describe('A value computed from sleep data.'),
      version: z
        .literal('automatic')
        .optional()
        .describe('The version of the macro; only `automatic` exists.'),
    })
    .meta({ id: `${id}ValueMacroExpr` });
const OtherMacro = z
  .object({ value_macro: z.string().describe('Any other macro; queries with it are rejected.') })
  .meta({ id: 'UnrecognizedValueMacroExpr' });

const SOURCE_FIELDS = [
  'source_provider',
  'source_type',
  'source_app_id',
  'source_workout_id',
  'source_sport',
];
const INTERVAL_FIELDS = ['duration', 'value'];

const timeseriesColumn = (id: string, resources: readonly string[], fields: readonly string[]) =>
  z
    .object({
      timeseries: z.enum(resources).describe('The timeseries to read.'),
      field: openEnum([...SOURCE_FIELDS, 'timezone_offset', 'type', ...fields]).describe(
        'A field of its samples.',
      ),
    })
    .meta({ id: `${id}TimeseriesExpr` });

const dataColumns = [
  SleepColumn,
  ReadinessColumn,
  ActivityColumn,
  WorkoutColumn,
  BodyColumn,
  MealColumn,
  CycleColumn,
  ProfileColumn,
  macroColumn('sleep_score', 'SleepScore'),
  macroColumn('chronotype', 'Chronotype'),
  macroColumn('asleep_at', 'AsleepAt'),
  macroColumn('awake_at', 'AwakeAt'),
  macroColumn('awakenings', 'Awakenings'),
  OtherMacro,
  timeseriesColumn('Discrete', DISCRETE_TIMESERIES, ['value']),
  timeseriesColumn('Interval', INTERVAL_TIMESERIES, INTERVAL_FIELDS),
  timeseriesColumn(
    'InsulinInjection',
    ['insulin_injection'],
    [...INTERVAL_FIELDS, 'delivery_mode', 'delivery_form', 'bolus_purpose'],
  ),
  timeseriesColumn('BloodPressure', ['blood_pressure'], ['systolic', 'diastolic']),
  timeseriesColumn('Temperature', TEMPERATURE_TIMESERIES, [...INTERVAL_FIELDS, 'sensor_location']),
  timeseriesColumn('WorkoutDuration', ['workout_duration'], [...INTERVAL_FIELDS, 'intensity']),
  timeseriesColumn('Note', ['note'], ['tags', 'content']),
] as const;

const IndexColumn = z
  .object({
    index: z
      .enum([...SUMMARY_TABLE_NAMES, 'derived_readiness', 'timeseries'])
      .describe('The table whose index, the time of a row, is meant.'),
  })
  .meta({ id: 'IndexColumnExpr' });

/** The list columns of a menstrual cycle, with the fields of their elements. */
// prettier-ignore
const CYCLE_FIELDS = [
  ['menstrual_flow',         'MCMenstrualFlow',         ['date', 'flow']],
  ['cervical_mucus',         'MCCervicalMucus',         ['date', 'quality']],
  ['intermenstrual_bleeding', 'MCIntermenstrualBleeding', ['date']],
  ['contraceptive',          'MCContraceptive',         ['date', 'type']],
  ['detected_deviations',    'MCDetectedDeviations',    ['date', 'deviation']],
  ['ovulation_test',         'MCOvulationTest',         ['date', 'test_result']],
  ['home_pregnancy_test',    'MCHomePregnancyTest',     ['date', 'test_result']],
  ['home_progesterone_test', 'MCHomeProgesteroneTest',  ['date', 'test_result']],
  ['sexual_activity',        'MCSexualActivity',        ['date', 'protection_used']],
  ['basal_body_temperature', 'MCBasalBodyTemperature',  ['date', 'value']],
] as const;

const cycleFields = CYCLE_FIELDS.map(([list, id, fields]) =>
  z
    .object({
      field_for: z.literal('menstrual_cycle').optional().describe('The table of the list.'),
      [list]: openEnum([...fields]).describe(`A field of an element of ${list}.`),
    })
    .meta({ id: `${id}FieldExpr` }),
);
const Element = z
  .object({ element: z.literal(true).describe('The element itself, for lists of plain values.') })
  .meta({ id: 'ElementFieldExpr' });

const AggregateField = z
  .object({
    func: z.enum(AGGREGATE_FUNCTIONS).describe('The aggregate function.'),
    arg: z
      .union([...cycleFields, Element])
      .nullish()
      .describe('The field of each element to aggregate. Only `count` can be used without it.'),
  })
  .meta({ id: 'AggregateFieldExpr' });
const Unnest = z
  .object({ unnest: z.union(dataColumns).describe('A list column.') })
  .meta({ id: 'UnnestExpr' });
const Where = z
  .string()
  .max(WHERE_LENGTH_MAX)
  .nullish()
  .describe("Comparisons of columns with literals, as in SQL: `type = 'long_sleep' AND efficiency >= 85`.");
const SubqueryExpression = z
  .object({
    select: z.union([AggregateField, Placeholder]).describe('The aggregate over the elements of the list.'),
    from: z.union([Unnest, Placeholder]).describe('The list to aggregate.'),
    where: Where,
  })
  .meta({ id: 'ScalarOutputSubqueryExpr' });

const Aggregate = z
  .object({
    arg: z.union([...dataColumns, IndexColumn, SubqueryExpression]).describe('The column to aggregate.'),
    func: z.enum(AGGREGATE_FUNCTIONS).describe('The aggregate function.'),
  })
  .meta({ id: 'AggregateExpr' });
const GroupKeyColumn = z
  .object({
    group_key: z
      .union([z.int(), z.literal('*')])
      .describe('The position of an expression in `group_by`, from 0; `*` for all of them.'),
  })
  .meta({ id: 'GroupKeyColumnExpr' });
const SourceColumn = z
  .object({ source: openEnum(SOURCE_FIELDS).describe('A field of the source of a row.') })
  .meta({ id: 'SourceColumnExpr' });

const DateTrunc = z
  .object({
    date_trunc: PeriodExpr.describe('The length of a bucket.'),
    arg: z.union([IndexColumn, Placeholder]).describe('The index to truncate to the period.'),
  })
  .meta({ id: 'DateTruncExpr' });
const DatePart = z
  .object({
    arg: z.union([IndexColumn, Placeholder]).describe('The index to take a part of.'),
    date_part: z
      .enum(DATE_PARTS)
      .describe('The part of the local time. Weekdays run from 1 (Monday) to 7; weeks follow ISO 8601.'),
  })
  .meta({ id: 'DatePartExpr' });

const MaxAge = PeriodExpr.nullish().describe('How far a value may be carried. Without it: any distance.');
const carry = <M extends string>(mode: M) =>
  z
    .literal(mode)
    .describe('Which value fills an empty bucket: the one before, the one after or the nearest.');
const Carry = z.union([
  z.object({ mode: carry('carry_forward'), max_age: MaxAge }).meta({ id: 'CarryForwardExpr' }),
  z.object({ mode: carry('carry_backward'), max_age: MaxAge }).meta({ id: 'CarryBackwardExpr' }),
  z.object({ mode: carry('carry_nearest'), span: MaxAge }).meta({ id: 'CarryNearestExpr' }),
]);
const AlignExpression = z
  .object({ carry: Carry.describe('The value to fill with.') })
  .meta({ id: 'AlignExpr' });

const SelectExpression = z.union([
  Aggregate,
  GroupKeyColumn,
  ...dataColumns,
  IndexColumn,
  SubqueryExpression,
  SourceColumn,
]);
const GroupByExpression = z.union([DateTrunc, DatePart, ...dataColumns, SourceColumn]);

export const AggregationQuery = z
  .object({
    select: z
      .array(SelectExpression)
      .min(1)
      .max(SELECT_MAX)
      .describe('The columns of the result, all of one table.'),
    group_by: z
      .array(GroupByExpression)
      .max(GROUP_BY_MAX)
      .optional()
      .describe('The group keys. Without it: one group, or one row for each input row.'),
    where: Where,
    align: AlignExpression.nullish().describe(
      'Adds a row for every empty bucket. Needs a `date_trunc` in `group_by`.',
    ),
  })
  .meta({ id: 'Query' });
export type AggregationQuery = z.output<typeof AggregationQuery>;
export type SelectExpression = z.output<typeof SelectExpression>;
export type GroupByExpression = z.output<typeof GroupByExpression>;
export type SubqueryExpression = z.output<typeof SubqueryExpression>;
export type AlignExpression = z.output<typeof AlignExpression>;

const PRIORITIES_MAX = 100;
export const AggregationQueryConfig = z
  .object({
    provider_priority_overrides: z
      .array(z.enum([...new Set([...PROVIDERS, ...LABS])]))
      .max(PRIORITIES_MAX)
      .nullish()
      .describe('Providers that take precedence over the team’s source order, highest priority first.'),
  })
  .meta({ id: 'QueryConfig' });
export type AggregationQueryConfig = z.output<typeof AggregationQueryConfig>;

const RelativeTimeframe = z
  .object({
    type: z.literal('relative').describe('The only supported kind of timeframe.'),
    anchor: DateInput.describe('The last day of the timeframe, in the user’s local time: `YYYY-MM-DD`.'),
    past: PeriodExpr.describe('The length of the timeframe, back from the end of that day.'),
  })
  .meta({ id: 'RelativeTimeframe' });
type RelativeTimeframe = z.output<typeof RelativeTimeframe>;

const QUERIES_MAX = 20;
export const QueryBatch = z
  .object({
    timeframe: z.union([RelativeTimeframe, Placeholder]).describe('The time range of all queries.'),
    queries: z
      .array(AggregationQuery)
      .min(1)
      .max(QUERIES_MAX)
      .describe('The queries. Each one returns its own table.'),
    config: AggregationQueryConfig.optional().describe('Settings for all queries.'),
  })
  .meta({ id: 'QueryBatch', examples: [QUERY_BATCH_EXAMPLE] });
export type QueryBatch = z.output<typeof QueryBatch>;

export const AggregationResult = z
  .object({
    table: z.record(z.string(), z.array(z.unknown())).describe('Columns of equal length, by name.'),
  })
  .meta({ id: 'AggregationResult' });
export const AggregationResponse = z
  .object({ results: z.array(AggregationResult).describe('One result for each query, in the same order.') })
  .meta({ id: 'AggregationResponse' });
