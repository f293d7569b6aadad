import { z } from 'zod';
import type { App } from '../../app.ts';
import { respondWith } from '../../platform/http/route.ts';
import type { Http } from '../../platform/http/http.ts';
import { listConnections, deregister } from './connections.ts';
import { refreshUser } from './refresh.ts';
import {
  ConnectedProviders,
  RefreshErrorResponse,
  ProviderName,
  RefreshResponse,
  toConnectionView,
} from './schema.ts';

const tag = 'Users';
const UserId = z.object({ user_id: z.guid() });

/** Routes for the connections of one user. */
export function userConnectionRoutes(http: Http, app: App): void {
  refreshRoute(http, app);
  const { wearableProviders } = app;
  http.get('/v2/user/providers/:user_id', {
    opensToUsers: true,
    schema: {
      operationId: 'listUserProviders',
      summary: 'List the connected providers of a user',
      tag,
      params: UserId,
      response: { 200: ConnectedProviders },
    },
    handler: async ({ work, params }) => {
      const connections = await listConnections(work, params.user_id);
      return {
        providers: connections.map((one) => toConnectionView(one, wearableProviders.find(one.provider))),
      };
    },
  });

  http.delete('/v2/user/:user_id/:provider', {
    opensToUsers: true,
    schema: {
      operationId: 'deregisterProvider',
      summary: 'Disconnect a provider from a user',
      description:
        'Removes the connection, then revokes the grant at the provider if it supports that. Data is kept.',
      tag,
      params: UserId.extend({ provider: ProviderName }),
      response: { 200: z.object({ success: z.boolean() }).meta({ id: 'UserSuccessResponse' }) },
    },
    handler: async ({ work, params }) => {
      await deregister(work, params.user_id, params.provider);
      return { success: true };
    },
  });
}

function refreshRoute(http: Http, app: App): void {
  http.post('/v2/user/refresh/:user_id', {
    opensToUsers: true,
    schema: {
      operationId: 'refreshUser',
      summary: 'Refresh the data of a user',
      description:
        'Fetches new data from all connected providers. At most 8 times an hour per user. Waits up to `timeout` ' +
        'seconds; returns 202 if some providers are still in progress.',
      tag,
      params: UserId,
      query: z.object({ timeout: z.number().min(5).max(60).default(10) }),
      response: { 200: RefreshResponse, 202: RefreshResponse, 400: RefreshErrorResponse },
    },
    prepare: ({ tenant, params, query, runStep }) =>
      refreshUser(app, tenant, { userId: params.user_id, timeoutSeconds: query.timeout, begin: runStep }),
    handler: async ({ prepared: { userId, refreshed, inProgress, failed } }) => {
      if (failed.length > 0 && refreshed.length + inProgress.length === 0) {
        const error = 'No provider could be refreshed; the user has to connect them again';
        return respondWith(400, { success: false as const, user_id: userId, error, failed_sources: failed });
      }
      return respondWith(inProgress.length > 0 ? 202 : 200, {
        success: true as const,
        user_id: userId,
        refreshed_sources: refreshed,
        in_progress_sources: inProgress,
        failed_sources: failed,
      });
    },
  });
}
