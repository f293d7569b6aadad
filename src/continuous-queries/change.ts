import type { App } from '../app.ts';
import { audited, type Acting } from '../management/management.ts';
import { DomainError, found, invalidField } from '../platform/errors.ts';
import { newId } from '../platform/ids.ts';
import { enqueue } from '../platform/jobs/jobs.ts';
import { answerForAll, BEFORE_ALL } from './begin.ts';
import { define, resourcesOf, type Definition } from './define.ts';
import type { CreateQuery, UpdateQuery } from './schema.ts';
import * as store from './store.ts';

const QUERIES_MAX = 50;

/** The definition that a command describes; 422 with the place of what is not understood. */
export function understood(command: CreateQuery, type: 'team' | 'platform'): Definition {
  if (type === 'platform')
    throw invalidField(['query', 'query_type'], 'expected team: there are no others here');
  if (command.export_preferences?.fhir_observations === true) {
    const loc = ['body', 'export_preferences', 'fhir_observations'];
    throw invalidField(loc, 'expected false: results are not exported as FHIR observations');
  }
  return define(command.query, command.query_config ?? {});
}

/** Makes a query, which is then answered for every user. 409 for a slug that another one has. */
export function createQuery(
  app: App,
  acting: Acting,
  { command, definition }: { command: CreateQuery; definition: Definition },
): Promise<store.QueryRow> {
  return audited(app, acting, async (work) => {
    await store.holdQueries(work);
    const others = await store.listActive(work);
    if (others.some(({ slug }) => slug === command.slug)) {
      throw new DomainError('conflict', `There is a continuous query with the slug ${command.slug}`);
    }
    if (others.length >= QUERIES_MAX) {
      throw new DomainError(
        'bad_request',
        `A team has at most ${QUERIES_MAX} continuous queries; archive one`,
      );
    }
    const row = await store.insertQuery(work, {
      id: newId(),
      slug: command.slug,
      title: command.title,
      query: JSON.stringify(definition.query),
      config: JSON.stringify(definition.config),
      resources: resourcesOf(definition),
      minimum_gap_seconds: command.scheduling_preferences?.minimum_gap_duration_second ?? null,
      data_events: command.export_preferences?.data_events?.enabled ?? true,
    });
    await enqueue(work, answerForAll, { query_id: row.id, after: BEFORE_ALL });
    return { value: row, deed: { action: 'continuous_query.create', subject: row.id, after: told(row) } };
  });
}

export function updateQuery(
  app: App,
  acting: Acting,
  { id, command }: { id: string; command: UpdateQuery },
): Promise<store.QueryRow> {
  const { title, scheduling_preferences: scheduling } = command;
  return change(app, acting, {
    id,
    action: 'continuous_query.update',
    to: {
      ...(title !== null && title !== undefined && { title }),
      ...(scheduling && { minimum_gap_seconds: scheduling.minimum_gap_duration_second ?? null }),
    },
  });
}

/** An archived query is not answered any more; what it answered last can still be read by its id. */
export const archiveQuery = (app: App, acting: Acting, id: string): Promise<store.QueryRow> =>
  change(app, acting, { id, action: 'continuous_query.archive', to: 'archived' });

interface Changing {
  readonly id: string;
  readonly action: string;
  readonly to: Partial<Pick<store.QueryRow, 'title' | 'minimum_gap_seconds'>> | 'archived';
}

function change(app: App, acting: Acting, { id, action, to }: Changing): Promise<store.QueryRow> {
  return audited(app, acting, async (work) => {
    const before = found(await store.findQuery(work, id), 'Continuous query');
    const columns = to === 'archived' ? { archived_at: work.now } : to;
    const row = await store.changeQuery(work, id, columns);
    if (!row) throw new DomainError('conflict', 'The continuous query is archived');
    return { value: row, deed: { action, subject: id, before: told(before), after: told(row) } };
  });
}

const told = ({ slug, title, query, minimum_gap_seconds, archived_at }: store.QueryRow) => ({
  slug,
  title,
  query,
  minimum_gap_seconds,
  archived_at,
});
