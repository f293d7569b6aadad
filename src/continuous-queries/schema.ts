import { z } from 'zod';
import { resultSchema } from '../aggregation/aggregation.ts';
import { Query, QueryConfig } from '../aggregation/schema.ts';
import { isoMoment } from '../platform/clock.ts';
import { ENVIRONMENTS } from '../platform/tenant.ts';
import { PULLED_RESOURCES } from '../provider-settings/provider-settings.ts';
import { definitionOf, resourcesOf, type Definition } from './define.ts';
import { TASK_STATUSES } from './status.ts';
import type { QueryRow } from './store.ts';
import type { TaskRow } from './task-store.ts';

/** What changed in the result table of one query. */
export const ResultTableChanges = z
  .object({
    query_id: z.guid(),
    query_slug: z.string(),
    data: z.record(z.string(), z.array(z.unknown())).describe('The columns of the changed rows, by name.'),
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
const cursor = z.string().max(200).nullish();
export const ListQuery = z.object({
  limit: z.int().min(1).max(PAGE_MAX).default(PAGE_MAX),
  next_cursor: cursor,
});
export const HistoryQuery = z.object({
  limit: z.int().min(1).max(HISTORY_MAX).default(50),
  next_cursor: cursor,
});
export const QueryType = z.object({ query_type: z.enum(['team', 'platform']).default('team') });

const Title = z
  .string()
  .regex(/^[A-Za-zÀ-ÖØ-öø-ÿ0-9()&_\-.\s]{0,50}$/, 'expected at most 50 letters, digits, spaces and ()&_-.');

const GAP_MIN_SECONDS = 1800;
const GAP_MAX_SECONDS = 365 * 86_400;
const Scheduling = z
  .object({ minimum_gap_duration_second: z.int().min(GAP_MIN_SECONDS).max(GAP_MAX_SECONDS).nullish() })
  .meta({ id: 'ContinuousQuerySchedulingPreferences' });
const Export = z
  .object({
    data_events: z
      .object({ enabled: z.boolean().default(true) })
      .meta({ id: 'ContinuousQueryDataEventPreferences' })
      .optional()
      .describe('Whether continuous_query.result_table.changed is sent.'),
    fhir_observations: z.boolean().default(false).describe('Refused where true: there are none here.'),
  })
  .meta({ id: 'ContinuousQueryExportPreferences' });

export const CreateQuery = z
  .object({
    slug: z
      .string()
      .regex(
        /^(?!.*--)(?!.*-$)(?!-.*$)[a-z0-9-]{1,128}$/,
        'expected small letters, digits and single dashes between them',
      ),
    title: Title,
    query: Query,
    query_config: QueryConfig.optional(),
    scheduling_preferences: Scheduling.optional(),
    export_preferences: Export.optional(),
  })
  .meta({ id: 'CreateContinuousQueryBody' });
export type CreateQuery = z.output<typeof CreateQuery>;

export const UpdateQuery = z
  .object({ title: Title.nullish(), scheduling_preferences: Scheduling.nullish() })
  .meta({ id: 'UpdateContinuousQueryBody' });
export type UpdateQuery = z.output<typeof UpdateQuery>;

const Resource = z.enum(PULLED_RESOURCES);
const TableSchema = z.record(z.string(), z.unknown()).describe('The types of the columns, by name.');

export const Validated = z
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

export const QueryView = z
  .object({
    id: z.guid(),
    status: z.enum(['active', 'archived']).meta({ id: 'ContinuousQueryStatus' }),
    slug: z.string(),
    title: z.string(),
    team_id: z.guid().nullable(),
    query: Query,
    query_config: QueryConfig,
    scheduling_preferences: Scheduling,
    result_table_schema: TableSchema,
    resource_dependencies: z.array(Resource),
    export_preferences: Export,
    fhir_observation_mappers: z.array(z.enum(FHIR_MAPPERS)).describe('None here.'),
  })
  .meta({ id: 'ContinuousQuery' });

export const QueryList = z
  .object({ data: z.array(QueryView), next_cursor: z.string().nullable() })
  .meta({ id: 'ContinuousQueryResponse' });

export const viewDefinition = (definition: Definition): z.input<typeof Validated> => ({
  result_table_schema: resultSchema(definition.plan.outputs),
  resource_dependencies: resourcesOf(definition).map((resource) => Resource.parse(resource)),
  fhir_observation_previews: null,
});

export function viewQuery(row: QueryRow): z.input<typeof QueryView> {
  const definition = definitionOf(row);
  const { result_table_schema, resource_dependencies } = viewDefinition(definition);
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

const Moment = z.iso.datetime({ offset: true });
const TaskView = z
  .object({
    query_id: z.guid(),
    user_id: z.guid(),
    status: z.enum(TASK_STATUSES).meta({ id: 'ContinuousQueryTaskStatus' }),
    scheduled_at: Moment,
    started_at: Moment.nullable(),
    ended_at: Moment.nullable(),
    error_details: z.string().nullable(),
  })
  .meta({ id: 'ContinuousQueryTaskHistoryEntry' });

export const TaskHistory = z
  .object({ data: z.array(TaskView), next_cursor: z.string().nullable() })
  .meta({ id: 'ContinuousQueryTaskHistoryResponse' });

const maybe = (moment: Date | null) => moment && isoMoment(moment);

export const viewTask = (row: TaskRow): z.input<typeof TaskView> => ({
  query_id: row.query_id,
  user_id: row.user_id,
  status: row.status,
  scheduled_at: isoMoment(row.scheduled_at),
  started_at: maybe(row.started_at),
  ended_at: maybe(row.ended_at),
  error_details: row.error_details,
});
