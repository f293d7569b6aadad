import { readTenant, type App } from '../app.ts';
import { authorizeChange, requireOrgKey, type TenantAuthorizer } from '../identity/management/management.ts';
import type { Http } from '../platform/http/http.ts';
import { readPage } from '../platform/http/page.ts';
import { changeRetention } from './change-retention.ts';
import {
  ChangeRetentionBody,
  RetentionParams,
  RetentionView,
  SweepPageView,
  SweepQuery,
  toRetentionView,
  toSweepView,
} from './schema.ts';
import { listSweeps, readPolicies } from './store.ts';

const BASE = '/v1/org/:org_id/team/:team_id/:environment/retention';
const tag = 'Management';

/** How long the data of a team are kept, and the proof of what was deleted (ours, beyond the contract). */
export function retentionRoutes(http: Http, app: App, scoped: TenantAuthorizer): void {
  http.management.get(BASE, {
    schema: {
      operationId: 'getRetention',
      summary: 'Get how long data are kept',
      tag,
      params: RetentionParams,
      response: { 200: RetentionView },
    },
    handler: async ({ principal, params }) => {
      const tenant = await scoped(principal, params);
      const policies = await readTenant(app, tenant, (work) => readPolicies(work));
      return toRetentionView(app.config, policies, tenant.environment);
    },
  });

  http.management.patch(BASE, {
    schema: {
      operationId: 'changeRetention',
      summary: 'Set how long data are kept',
      description:
        'Older data are deleted for good within a day, so this needs an Org Management Key, and a member must have ' +
        'authenticated within five minutes. What is still in use stays: events that are not delivered yet, reports ' +
        'and messages that wait for a decision.',
      tag,
      params: RetentionParams,
      body: ChangeRetentionBody,
      response: { 200: RetentionView },
    },
    handler: async (input) => {
      requireOrgKey(input.principal, input.params.org_id);
      const acting = await authorizeChange(scoped, input);
      const policies = await changeRetention(app, acting, input.body);
      return toRetentionView(app.config, policies, acting.tenant.environment);
    },
  });

  sweepRoute(http, app, scoped);
}

function sweepRoute(http: Http, app: App, scoped: TenantAuthorizer): void {
  http.management.get(`${BASE}/sweep`, {
    schema: {
      operationId: 'listRetentionSweeps',
      summary: 'List what the retention has deleted',
      description: 'Newest first: one item for each kind and day on which something was deleted.',
      tag,
      params: RetentionParams,
      query: SweepQuery,
      response: { 200: SweepPageView },
    },
    handler: async ({ principal, params, query }) => {
      const tenant = await scoped(principal, params);
      const { items, next_cursor } = await readPage(query, (page) =>
        readTenant(app, tenant, (work) => listSweeps(work, { kind: query.kind ?? undefined, ...page })),
      );
      return { data: items.map(toSweepView), next_cursor };
    },
  });
}
