import type { App } from '../../app.ts';
import { runAuditedChange, type TenantChangeContext } from '../../identity/management/management.ts';
import { DomainError, requireFound, invalidField } from '../../platform/errors.ts';
import { newId } from '../../platform/ids.ts';
import { enqueue } from '../../platform/jobs/jobs.ts';
import { evaluateForAllUsers, FIRST_USER_CURSOR } from './evaluate-for-all-users.ts';
import { defineQuery, listResources, type QueryDefinition } from './define.ts';
import type { CreateContinuousQuery, UpdateContinuousQuery } from './schema.ts';
import * as store from './store.ts';

const QUERIES_MAX = 50;

/** Validates the definition in a command; 422 with the location of the first error. */
export function toQueryDefinition(
  command: CreateContinuousQuery,
  type: 'team' | 'platform',
): QueryDefinition {
  if (type === 'platform')
    throw invalidField(['query', 'query_type'], 'expected team: platform queries are not supported');
  if (command.export_preferences?.fhir_observations === true) {
    const loc = ['body', 'export_preferences', 'fhir_observations'];
    throw invalidField(loc, 'expected false: exporting results as FHIR observations is not supported');
  }
  return defineQuery(command.query, command.query_config ?? {});
}

/** Creates a query and evaluates it for every user. 409 when an active query has the same slug. */
export function createQuery(
  app: App,
  acting: TenantChangeContext,
  { command, definition }: { command: CreateContinuousQuery; definition: QueryDefinition },
): Promise<store.ContinuousQueryRow> {
  return runAuditedChange(app, acting, async (work) => {
    await store.lockQueries(work);
    const others = await store.listActiveQueries(work);
    if (others.some(({ slug }) => slug === command.slug)) {
      throw new DomainError('conflict', `A continuous query with the slug ${command.slug} already exists`);
    }
    if (others.length >= QUERIES_MAX) {
      throw new DomainError(
        'bad_request',
        `The team already has ${QUERIES_MAX} continuous queries, the maximum: archive one first`,
      );
    }
    const row = await store.insertQuery(work, {
      id: newId(),
      slug: command.slug,
      title: command.title,
      query: JSON.stringify(definition.query),
      config: JSON.stringify(definition.config),
      resources: listResources(definition),
      minimum_gap_seconds: command.scheduling_preferences?.minimum_gap_duration_second ?? null,
      data_events: command.export_preferences?.data_events?.enabled ?? true,
    });
    await enqueue(work, evaluateForAllUsers, { query_id: row.id, after: FIRST_USER_CURSOR });
    return {
      value: row,
      deed: { action: 'continuous_query.create', subject: row.id, after: toAuditView(row) },
    };
  });
}

export function updateQuery(
  app: App,
  acting: TenantChangeContext,
  { id, command }: { id: string; command: UpdateContinuousQuery },
): Promise<store.ContinuousQueryRow> {
  const { title, scheduling_preferences: scheduling } = command;
  return applyChange(app, acting, {
    id,
    action: 'continuous_query.update',
    to: {
      ...(title !== null && title !== undefined && { title }),
      ...(scheduling && { minimum_gap_seconds: scheduling.minimum_gap_duration_second ?? null }),
    },
  });
}

/** An archived query is no longer evaluated; its last results can still be read by its id. */
export const archiveQuery = (
  app: App,
  acting: TenantChangeContext,
  id: string,
): Promise<store.ContinuousQueryRow> =>
  applyChange(app, acting, { id, action: 'continuous_query.archive', to: 'archived' });

interface QueryChangeRequest {
  readonly id: string;
  readonly action: string;
  readonly to: Partial<Pick<store.ContinuousQueryRow, 'title' | 'minimum_gap_seconds'>> | 'archived';
}

function applyChange(
  app: App,
  acting: TenantChangeContext,
  { id, action, to }: QueryChangeRequest,
): Promise<store.ContinuousQueryRow> {
  return runAuditedChange(app, acting, async (work) => {
    const before = requireFound(await store.findQuery(work, id), 'Continuous query');
    const columns = to === 'archived' ? { archived_at: work.now } : to;
    const row = await store.changeQuery(work, id, columns);
    if (!row) throw new DomainError('conflict', 'The continuous query is archived');
    return {
      value: row,
      deed: { action, subject: id, before: toAuditView(before), after: toAuditView(row) },
    };
  });
}

const toAuditView = ({ slug, title, query, minimum_gap_seconds, archived_at }: store.ContinuousQueryRow) => ({
  slug,
  title,
  query,
  minimum_gap_seconds,
  archived_at,
});
