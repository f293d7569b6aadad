import { z } from 'zod';
import { toResultTableSchema } from '../aggregation/aggregation.ts';
import { AggregationQuery, AggregationQueryConfig } from '../aggregation/schema.ts';
import { isoTimestamp, isoTimestampOrNull } from '../../platform/clock.ts';
import { ENVIRONMENTS } from '../../platform/tenant.ts';
import { PageCursor } from '../../platform/http/page.ts';
import { Timestamp } from '../../platform/timestamp.ts';
import { PULLED_RESOURCES } from '../../provider-settings/provider-settings.ts';
import { parseQueryDefinition, listResources, type QueryDefinition } from './define.ts';
import { TASK_STATUSES } from './status.ts';
import type { ContinuousQueryRow } from './store.ts';
import type { TaskRow } from './task-store.ts';

/** The changed rows in the result table of one query. */
export const ResultTableChanges = z
  .object({
    query_id: z.guid(),
    query_slug: z.string(),
    data: z.record(z.string(), z.array(z.unknown())).describe('The changed rows as columns, by column name.'),
  })
  .meta({ id: 'ContinuousQueryResultTableChanges' });

export const TenantPath = z.object({
  org_id: z.guid(),
  team_id: z.guid(),
  environment: z.enum(ENVIRONMENTS),
});
export const QueryPath = TenantPath.extend({ query_id: z.guid() });
export const UserPath = z.object({ user_id: z.guid(), query_id_or_slug: z.string().max(200) });

const PAGE_MAX = 100;
const HISTORY_MAX = 500;
export const ListQueriesParams = z.object({
  limit: z.int().min(1).max(PAGE_MAX).default(PAGE_MAX),
  next_cursor: PageCursor,
});
export const TaskHistoryParams = z.object({
  limit: z.int().min(1).max(HISTORY_MAX).default(50),
  next_cursor: PageCursor,
});
export const QueryTypeParams = z.object({ query_type: z.enum(['team', 'platform']).default('team') });

const Title = z
  .string()
  .regex(/^[A-Za-zÀ-ÖØ-öø-ÿ0-9()&_\-.\s]{0,50}$/, 'expected at most 50 letters, digits, spaces and ()&_-.');

const GAP_MIN_SECONDS = 1800;
const GAP_MAX_SECONDS = 365 * 86_400;
const SchedulingPreferences = z
  .object({
    minimum_gap_duration_second: z
      .int()
      .min(GAP_MIN_SECONDS)
      .max(GAP_MAX_SECONDS)
      .nullish()
      .describe('Minimum seconds between two evaluations for one user. Without it: 60.'),
  })
  .meta({ id: 'ContinuousQuerySchedulingPreferences' });
const ExportPreferences = z
  .object({
    data_events: z
      .object({ enabled: z.boolean().default(true).describe('Whether to send the event.') })
      .meta({ id: 'ContinuousQueryDataEventPreferences' })
      .optional()
      .describe('The continuous_query.result_table.changed event, sent when rows change. Default: enabled.'),
    fhir_observations: z
      .boolean()
      .default(false)
      .describe('Must be false: FHIR observations are not supported.'),
  })
  .meta({ id: 'ContinuousQueryExportPreferences' });

export const CreateContinuousQuery = z
  .object({
    slug: z
      .string()
      .regex(
        /^(?!.*--)(?!.*-$)(?!-.*$)[a-z0-9-]{1,128}$/,
        'expected lowercase letters, digits and single dashes between them',
      )
      .describe('Unique among active queries: lowercase letters, digits and single dashes.'),
    title: Title.describe('A name for people.'),
    query: AggregationQuery.describe('The query whose result is kept up to date.'),
    query_config: AggregationQueryConfig.optional().describe('Provider priorities for this query.'),
    scheduling_preferences: SchedulingPreferences.optional().describe(
      'How often the query may be evaluated.',
    ),
    export_preferences: ExportPreferences.optional().describe('Where results are sent.'),
  })
  .meta({ id: 'CreateContinuousQueryBody' });
export type CreateContinuousQuery = z.output<typeof CreateContinuousQuery>;

export const UpdateContinuousQuery = z
  .object({
    title: Title.nullish().describe('The new title. Null or absent keeps the current one.'),
    scheduling_preferences: SchedulingPreferences.nullish().describe(
      'The new scheduling. Null or absent keeps the current one.',
    ),
  })
  .meta({ id: 'UpdateContinuousQueryBody' });
export type UpdateContinuousQuery = z.output<typeof UpdateContinuousQuery>;

const Resource = z.enum(PULLED_RESOURCES);
const TableSchema = z.record(z.string(), z.unknown()).describe('The type of each column, by column name.');

export const QueryValidation = z
  .object({
    result_table_schema: TableSchema,
    resource_dependencies: z.array(Resource),
    fhir_observation_previews: z.record(z.string(), z.unknown()).nullable(),
  })
  .meta({ id: 'ValidateContinuousQueryResponse' });

// prettier-ignore
const FHIR_MAPPERS = [
  'vital-signs#29463-7#junction-body-weight-1', 'vital-signs#8867-4#junction-heart-rate-1',
  'vital-signs#9279-1#junction-respiration-rate-1',
] as const;

export const ContinuousQueryView = z
  .object({
    id: z.guid(),
    status: z.enum(['active', 'archived']).meta({ id: 'ContinuousQueryStatus' }),
    slug: z.string(),
    title: z.string(),
    team_id: z.guid().nullable(),
    query: AggregationQuery,
    query_config: AggregationQueryConfig,
    scheduling_preferences: SchedulingPreferences,
    result_table_schema: TableSchema,
    resource_dependencies: z.array(Resource),
    export_preferences: ExportPreferences,
    fhir_observation_mappers: z
      .array(z.enum(FHIR_MAPPERS))
      .describe('Always empty: FHIR observations are not supported.'),
  })
  .meta({ id: 'ContinuousQuery' });

export const ContinuousQueryList = z
  .object({ data: z.array(ContinuousQueryView), next_cursor: z.string().nullable() })
  .meta({ id: 'ContinuousQueryResponse' });

export const toValidationView = (definition: QueryDefinition): z.input<typeof QueryValidation> => ({
  result_table_schema: toResultTableSchema(definition.plan.outputs),
  resource_dependencies: listResources(definition).map((resource) => Resource.parse(resource)),
  fhir_observation_previews: null,
});

export function toQueryView(row: ContinuousQueryRow): z.input<typeof ContinuousQueryView> {
  const definition = parseQueryDefinition(row);
  const { result_table_schema, resource_dependencies } = toValidationView(definition);
  return {
    id: row.id,
    status: row.archived_at ? 'archived' : 'active',
    slug: row.slug,
    title: row.title,
    team_id: row.team_id,
    query: definition.query,
    query_config: definition.config,
    scheduling_preferences: { minimum_gap_duration_second: row.minimum_gap_seconds },
    result_table_schema,
    resource_dependencies,
    export_preferences: { data_events: { enabled: row.data_events }, fhir_observations: false },
    fhir_observation_mappers: [],
  };
}

const TaskView = z
  .object({
    query_id: z.guid(),
    user_id: z.guid(),
    status: z.enum(TASK_STATUSES).meta({ id: 'ContinuousQueryTaskStatus' }),
    scheduled_at: Timestamp,
    started_at: Timestamp.nullable(),
    ended_at: Timestamp.nullable(),
    error_details: z.string().nullable(),
  })
  .meta({ id: 'ContinuousQueryTaskHistoryEntry' });

export const TaskHistory = z
  .object({ data: z.array(TaskView), next_cursor: z.string().nullable() })
  .meta({ id: 'ContinuousQueryTaskHistoryResponse' });

export const toTaskView = (row: TaskRow): z.input<typeof TaskView> => ({
  query_id: row.query_id,
  user_id: row.user_id,
  status: row.status,
  scheduled_at: isoTimestamp(row.scheduled_at),
  started_at: isoTimestampOrNull(row.started_at),
  ended_at: isoTimestampOrNull(row.ended_at),
  error_details: row.error_details,
});
