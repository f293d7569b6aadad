import { parquetOf, resultTable, type ResultTable } from '../aggregation/aggregation.ts';
import { ResultTable as ResultTableView } from '../aggregation/schema.ts';
import { readTenant, type App } from '../app.ts';
import { actingOf, pageOf, readCursor, type ScopedTenant } from '../management/management.ts';
import { parquet } from '../platform/http/file-answer.ts';
import type { Http } from '../platform/http/http.ts';
import type { Work } from '../platform/work.ts';
import { archiveQuery, createQuery, understood, updateQuery } from './change.ts';
import { findHistory, findTable } from './find.ts';
import * as schema from './schema.ts';
import { listQueries } from './store.ts';

const TENANT = '/v1/org/:org_id/team/:team_id/:environment';
const QUERIES = `${TENANT}/continuous_query`;
const ONE = `${QUERIES}/:query_id`;
const OF_USER = '/aggregate/v1/user/:user_id/continuous_query/:query_id_or_slug';
const tag = 'Continuous queries';

/** Queries that answer themselves again: how they are set up, and what they answered. */
export function continuousQueryRoutes(http: Http, app: App, scoped: ScopedTenant): void {
  listRoute(http, app, scoped);
  creationRoutes(http, app, scoped);
  changeRoutes(http, app, scoped);
  userRoutes(http);
}

function listRoute(http: Http, app: App, scoped: ScopedTenant): void {
  http.management.get(QUERIES, {
    schema: {
      operationId: 'listContinuousQueries',
      summary: 'List continuous queries, the newest first',
      tag,
      params: schema.TenantPath,
      query: schema.ListQuery,
      response: { 200: schema.QueryList },
    },
    handler: async ({ principal, params, query }) => {
      const tenant = await scoped(principal, params);
      const page = { after: readCursor(query.next_cursor), limit: query.limit + 1 };
      const rows = await readTenant(app, tenant, (work) => listQueries(work, page));
      const { items, next_cursor } = pageOf(rows, query.limit);
      return { data: items.map(schema.viewQuery), next_cursor };
    },
  });
}

function creationRoutes(http: Http, app: App, scoped: ScopedTenant): void {
  http.management.post(QUERIES, {
    schema: {
      operationId: 'createContinuousQuery',
      summary: 'Create a continuous query',
      description:
        'It is answered for every user who is there, and again whenever data of a user change that it reads.',
      tag,
      params: schema.TenantPath,
      query: schema.QueryType,
      body: schema.CreateQuery,
      response: { 200: schema.QueryView },
    },
    handler: async (input) => {
      const acting = await actingOf(scoped, input);
      const definition = understood(input.body, input.query.query_type);
      return schema.viewQuery(await createQuery(app, acting, { command: input.body, definition }));
    },
  });

  http.management.post(`${TENANT}/validate_continuous_query`, {
    schema: {
      operationId: 'validateContinuousQuery',
      summary: 'Check a continuous query without creating it',
      tag,
      params: schema.TenantPath,
      query: schema.QueryType,
      body: schema.CreateQuery,
      response: { 200: schema.Validated },
    },
    handler: async ({ principal, params, query, body }) => {
      await scoped(principal, params);
      return schema.viewDefinition(understood(body, query.query_type));
    },
  });
}

function changeRoutes(http: Http, app: App, scoped: ScopedTenant): void {
  http.management.patch(ONE, {
    schema: {
      operationId: 'updateContinuousQuery',
      summary: 'Change the title or the scheduling of a continuous query',
      tag,
      params: schema.QueryPath,
      body: schema.UpdateQuery,
      response: { 200: schema.QueryView },
    },
    handler: async (input) => {
      const acting = await actingOf(scoped, input);
      const command = { id: input.params.query_id, command: input.body };
      return schema.viewQuery(await updateQuery(app, acting, command));
    },
  });

  http.management.delete(ONE, {
    schema: {
      operationId: 'archiveContinuousQuery',
      summary: 'Archive a continuous query',
      description:
        'It is not answered any more; its slug is free, and its last results can be read by its id.',
      tag,
      params: schema.QueryPath,
      response: { 200: schema.QueryView },
    },
    handler: async (input) =>
      schema.viewQuery(await archiveQuery(app, await actingOf(scoped, input), input.params.query_id)),
  });
}

function userRoutes(http: Http): void {
  http.get(`${OF_USER}/result_table`, {
    schema: {
      operationId: 'getContinuousQueryResultTable',
      summary: 'Read what a continuous query last answered for a user',
      description: 'By the id of the query, or by the slug of one that is not archived.',
      tag: 'Wearables',
      params: schema.UserPath,
      response: { 200: ResultTableView },
      file: parquet(),
    },
    handler: async ({ work, params }) => ({ table: (await readTable(work, params)).table }),
    file: async ({ work, params }) => {
      const typed = await readTable(work, params);
      return { name: 'result_table.parquet', draw: async () => parquetOf(typed) };
    },
  });

  http.get(`${OF_USER}/task_history`, {
    schema: {
      operationId: 'getContinuousQueryTaskHistory',
      summary: 'Read when a continuous query was answered for a user, the newest first',
      tag: 'Wearables',
      params: schema.UserPath,
      query: schema.HistoryQuery,
      response: { 200: schema.TaskHistory },
    },
    handler: async ({ work, params, query }) => {
      const page = { after: readCursor(query.next_cursor), limit: query.limit + 1 };
      const { items, next_cursor } = pageOf(await findHistory(work, params, page), query.limit);
      return { data: items.map(schema.viewTask), next_cursor };
    },
  });
}

async function readTable(work: Work, params: { user_id: string; query_id_or_slug: string }) {
  const { plan, groups } = await findTable(work, params);
  const table: ResultTable = resultTable(plan, groups);
  return { outputs: plan.outputs, table };
}
