import { writeParquet, toResultTable, type ResultTable } from '../aggregation/aggregation.ts';
import { AggregationResult as ResultTableView } from '../aggregation/schema.ts';
import { readTenant, type App } from '../../app.ts';
import { authorizeChange, type TenantAuthorizer } from '../../identity/management/management.ts';
import { parquet } from '../../platform/http/file-response.ts';
import type { Http } from '../../platform/http/http.ts';
import type { Work } from '../../platform/work.ts';
import { readPage } from '../../platform/http/page.ts';
import { archiveQuery, createQuery, toQueryDefinition, updateQuery } from './change.ts';
import { findTaskHistory, findResultTable } from './find.ts';
import * as schema from './schema.ts';
import { listQueries } from './store.ts';

const TENANT_PATH = '/v1/org/:org_id/team/:team_id/:environment';
const QUERIES_PATH = `${TENANT_PATH}/continuous_query`;
const QUERY_PATH = `${QUERIES_PATH}/:query_id`;
const USER_QUERY_PATH = '/aggregate/v1/user/:user_id/continuous_query/:query_id_or_slug';
const tag = 'Continuous queries';

/** Management of continuous queries, and their results for each user. */
export function continuousQueryRoutes(http: Http, app: App, scoped: TenantAuthorizer): void {
  listRoute(http, app, scoped);
  creationRoutes(http, app, scoped);
  changeRoutes(http, app, scoped);
  userRoutes(http);
}

function listRoute(http: Http, app: App, scoped: TenantAuthorizer): void {
  http.management.get(QUERIES_PATH, {
    schema: {
      operationId: 'listContinuousQueries',
      summary: 'List continuous queries, newest first',
      tag,
      params: schema.TenantPath,
      query: schema.ListQueriesParams,
      response: { 200: schema.ContinuousQueryList },
    },
    handler: async ({ principal, params, query }) => {
      const tenant = await scoped(principal, params);
      const { items, next_cursor } = await readPage(query, (page) =>
        readTenant(app, tenant, (work) => listQueries(work, page)),
      );
      return { data: items.map(schema.toQueryView), next_cursor };
    },
  });
}

function creationRoutes(http: Http, app: App, scoped: TenantAuthorizer): void {
  http.management.post(QUERIES_PATH, {
    schema: {
      operationId: 'createContinuousQuery',
      summary: 'Create a continuous query',
      description:
        'The query is evaluated for every user, and again for a user whenever data that it reads change.',
      tag,
      params: schema.TenantPath,
      query: schema.QueryTypeParams,
      body: schema.CreateContinuousQuery,
      response: { 200: schema.ContinuousQueryView },
    },
    handler: async (input) => {
      const acting = await authorizeChange(scoped, input);
      const definition = toQueryDefinition(input.body, input.query.query_type);
      return schema.toQueryView(await createQuery(app, acting, { command: input.body, definition }));
    },
  });

  http.management.post(`${TENANT_PATH}/validate_continuous_query`, {
    schema: {
      operationId: 'validateContinuousQuery',
      summary: 'Validate a continuous query without creating it',
      tag,
      params: schema.TenantPath,
      query: schema.QueryTypeParams,
      body: schema.CreateContinuousQuery,
      response: { 200: schema.QueryValidation },
    },
    handler: async ({ principal, params, query, body }) => {
      await scoped(principal, params);
      return schema.toValidationView(toQueryDefinition(body, query.query_type));
    },
  });
}

function changeRoutes(http: Http, app: App, scoped: TenantAuthorizer): void {
  http.management.patch(QUERY_PATH, {
    schema: {
      operationId: 'updateContinuousQuery',
      summary: 'Update a continuous query’s title or scheduling',
      tag,
      params: schema.QueryPath,
      body: schema.UpdateContinuousQuery,
      response: { 200: schema.ContinuousQueryView },
    },
    handler: async (input) => {
      const acting = await authorizeChange(scoped, input);
      const command = { id: input.params.query_id, command: input.body };
      return schema.toQueryView(await updateQuery(app, acting, command));
    },
  });

  http.management.delete(QUERY_PATH, {
    schema: {
      operationId: 'archiveContinuousQuery',
      summary: 'Archive a continuous query',
      description:
        'The query is no longer evaluated. Its slug can be used again; its last results can be read by its id.',
      tag,
      params: schema.QueryPath,
      response: { 200: schema.ContinuousQueryView },
    },
    handler: async (input) =>
      schema.toQueryView(
        await archiveQuery(app, await authorizeChange(scoped, input), input.params.query_id),
      ),
  });
}

function userRoutes(http: Http): void {
  http.get(`${USER_QUERY_PATH}/result_table`, {
    schema: {
      operationId: 'getContinuousQueryResultTable',
      summary: 'Get a user’s continuous query result table',
      description: 'Identify the query by its id, or by its slug if it is not archived.',
      tag: 'Wearables',
      params: schema.UserPath,
      response: { 200: ResultTableView },
      file: parquet(),
    },
    handler: async ({ work, params }) => ({ table: (await readResultTable(work, params)).table }),
    file: async ({ work, params }) => {
      const typed = await readResultTable(work, params);
      return { name: 'result_table.parquet', render: async () => writeParquet(typed) };
    },
  });

  http.get(`${USER_QUERY_PATH}/task_history`, {
    schema: {
      operationId: 'getContinuousQueryTaskHistory',
      summary: 'List a user’s continuous query evaluations, newest first',
      tag: 'Wearables',
      params: schema.UserPath,
      query: schema.TaskHistoryParams,
      response: { 200: schema.TaskHistory },
    },
    handler: async ({ work, params, query }) => {
      const { items, next_cursor } = await readPage(query, (page) => findTaskHistory(work, params, page));
      return { data: items.map(schema.toTaskView), next_cursor };
    },
  });
}

async function readResultTable(work: Work, params: { user_id: string; query_id_or_slug: string }) {
  const { plan, groups } = await findResultTable(work, params);
  const table: ResultTable = toResultTable(plan, groups);
  return { outputs: plan.outputs, table };
}
