import { z } from 'zod';
import type { App } from '../../app.ts';
import { answer } from '../../platform/http/route.ts';
import type { Http } from '../../platform/http/http.ts';
import { connectionsOf, deregister } from './connections.ts';
import { refreshUser } from './refresh.ts';
import { ConnectedProviders, NotRefreshed, ProviderName, Refreshed, viewConnection } from './schema.ts';

const tag = 'Users';
const UserId = z.object({ user_id: z.guid() });

/** What is asked of the connections of one user. */
export function userConnectionRoutes(http: Http, app: App): void {
  refreshRoute(http, app);
  const { wearableProviders } = app;
  http.get('/v2/user/providers/:user_id', {
    schema: {
      operationId: 'listUserProviders',
      summary: 'List the connected providers of a user',
      tag,
      params: UserId,
      response: { 200: ConnectedProviders },
    },
    handler: async ({ work, params }) => {
      const connections = await connectionsOf(work, params.user_id);
      return {
        providers: connections.map((one) => viewConnection(one, wearableProviders.find(one.provider))),
      };
    },
  });

  http.delete('/v2/user/:user_id/:provider', {
    schema: {
      operationId: 'deregisterProvider',
      summary: 'Disconnect a provider from a user',
      description: 'The grant is given back to the provider afterwards, as far as it lets us. The data stay.',
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
    schema: {
      operationId: 'refreshUser',
      summary: 'Fetch new data from the connected providers of a user',
      description:
        '8 times an hour for a user at most. It waits for `timeout` seconds; what is not done then goes on, and is ' +
        'answered with 202.',
      tag,
      params: UserId,
      query: z.object({ timeout: z.number().min(5).max(60).default(10) }),
      response: { 200: Refreshed, 202: Refreshed, 400: NotRefreshed },
    },
    prepare: ({ tenant, params, query, begin }) =>
      refreshUser(app, tenant, { userId: params.user_id, timeoutSeconds: query.timeout, begin }),
    handler: async ({ prepared: { userId, refreshed, inProgress, failed } }) => {
      if (failed.length > 0 && refreshed.length + inProgress.length === 0) {
        const error = 'None of the providers could be asked; the user has to connect them anew';
        return answer(400, { success: false as const, user_id: userId, error, failed_sources: failed });
      }
      return answer(inProgress.length > 0 ? 202 : 200, {
        success: true as const,
        user_id: userId,
        refreshed_sources: refreshed,
        in_progress_sources: inProgress,
        failed_sources: failed,
      });
    },
  });
}
