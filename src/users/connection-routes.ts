import { z } from 'zod';
import { DomainError } from '../platform/errors.ts';
import type { Http } from '../platform/http/http.ts';
import { ConnectedProviders, Device, ProviderSlug, Refreshed } from './connection-schema.ts';
import { UserSuccess } from './schema.ts';
import { getUser } from './find-users.ts';

const tag = 'Users';
const UserId = z.object({ user_id: z.guid() });

/**
 * What is asked of a user's connections to wearables. No slice makes connections yet,
 * so every user of the team truthfully has none.
 */
export function connectionRoutes(http: Http): void {
  connections(http);
  devices(http);
}

function connections(http: Http): void {
  http.get('/v2/user/providers/:user_id', {
    schema: {
      operationId: 'listUserProviders',
      summary: 'List the connected providers of a user',
      tag,
      params: UserId,
      response: { 200: ConnectedProviders },
    },
    handler: async ({ work, params }) => {
      await getUser(work, params.user_id);
      return { providers: [] };
    },
  });

  http.post('/v2/user/refresh/:user_id', {
    schema: {
      operationId: 'refreshUser',
      summary: 'Fetch new data from the connected providers of a user',
      tag,
      params: UserId,
      query: z.object({ timeout: z.number().min(5).max(60).default(10) }),
      response: { 200: Refreshed, 202: Refreshed },
    },
    handler: async ({ work, params }) => {
      const { id } = await getUser(work, params.user_id);
      const success: true = true;
      return { success, user_id: id, refreshed_sources: [], in_progress_sources: [], failed_sources: [] };
    },
  });

  http.delete('/v2/user/:user_id/:provider', {
    schema: {
      operationId: 'deregisterProvider',
      summary: 'Disconnect a provider from a user',
      tag,
      params: UserId.extend({ provider: ProviderSlug }),
      response: { 200: UserSuccess },
    },
    handler: async ({ work, params }) => {
      await getUser(work, params.user_id);
      throw new DomainError('not_found', `Connection to ${params.provider} not found`);
    },
  });
}

function devices(http: Http): void {
  http.get('/v2/user/:user_id/device', {
    schema: {
      operationId: 'listUserDevices',
      summary: 'List the devices of a user',
      tag,
      params: UserId,
      response: { 200: z.array(Device) },
    },
    handler: async ({ work, params }) => {
      await getUser(work, params.user_id);
      return [];
    },
  });

  http.get('/v2/user/:user_id/device/:device_id', {
    schema: {
      operationId: 'getUserDevice',
      summary: 'Read a device of a user',
      tag,
      params: UserId.extend({ device_id: z.guid() }),
      response: { 200: Device },
    },
    handler: async ({ work, params }) => {
      await getUser(work, params.user_id);
      throw new DomainError('not_found', 'Device not found');
    },
  });
}
