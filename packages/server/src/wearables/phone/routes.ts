import { z } from 'zod';
import { requireFound } from '../../platform/errors.ts';
import type { Http } from '../../platform/http/http.ts';
import { getUser } from '../../users/users/users.ts';
import { beginHistory } from './history.ts';
import {
  HistoryBeginBody,
  ManualConnectionBody,
  ManualConnectionParams,
  PhoneParams,
  PhoneSuccess,
  SyncStateBody,
  SyncStateView,
} from './sync-schema.ts';
import { connectPhone, getSyncState, receiveReport } from './sync.ts';

const tag = 'Wearables';
const REPORT_BYTES_MAX = 1024 * 1024;
const CALLER = 'Authenticated with an API key, or with the access token of the user’s app.';

/** What the mobile SDKs call beside their pushes. */
export function phoneRoutes(http: Http): void {
  connectRoute(http);
  stateRoutes(http);
  reportRoute(http);
}

function connectRoute(http: Http): void {
  http.post('/v2/link/provider/manual/:phone_provider', {
    opensToUsers: true,
    schema: {
      operationId: 'connectPhone',
      summary: 'Connect the health data of a phone (extension)',
      description: `As the public mobile SDKs call it. Idempotent. ${CALLER}`,
      tag: 'Link',
      params: ManualConnectionParams,
      body: ManualConnectionBody,
      response: { 200: PhoneSuccess },
    },
    handler: async ({ work, params, body, principal: { userId } }) => {
      const isOwn = userId === undefined || userId === body.user_id.toLowerCase();
      await connectPhone(work, requireFound(isOwn ? body.user_id : undefined, 'User'), params.phone_provider);
      return { success: true };
    },
  });
}

function stateRoutes(http: Http): void {
  http.post('/v2/user/:user_id/sdk_sync_state/:phone_provider', {
    opensToUsers: true,
    schema: {
      operationId: 'getPhoneSyncState',
      summary: 'Ask what a phone should send (extension)',
      description: `As the public mobile SDKs call it before each sync. ${CALLER}`,
      tag,
      params: PhoneParams,
      body: SyncStateBody,
      response: { 200: SyncStateView },
    },
    handler: ({ work, params, body }) =>
      getSyncState(work, { userId: params.user_id, provider: params.phone_provider }, body),
  });
  http.post('/v2/user/:user_id/sdk_start_historical_stage/:phone_provider', {
    opensToUsers: true,
    schema: {
      operationId: 'beginPhoneHistory',
      summary: 'Announce the history of a resource (extension)',
      description:
        'As the iOS SDK calls it before it pushes the history of a resource. The event ' +
        `\`historical.data.*.created\` is emitted with the last push of that history, once. ${CALLER}`,
      tag,
      params: PhoneParams,
      body: HistoryBeginBody,
      response: { 200: PhoneSuccess },
    },
    handler: async ({ work, params, body }) => {
      const { id } = await getUser(work, params.user_id);
      const range = { from: new Date(body.range_start), to: new Date(body.range_end) };
      await beginHistory(work, id, { provider: params.phone_provider, name: body.backfill_type, ...range });
      return { success: true };
    },
  });
}

function reportRoute(http: Http): void {
  http.batch('/v2/user/:user_id/sdk_sync_progress/:phone_provider', {
    limits: { limitBytes: REPORT_BYTES_MAX, itemsMax: 1 },
    opensToUsers: true,
    schema: {
      operationId: 'reportPhoneProgress',
      summary: 'Report the progress of a phone (extension)',
      description: `As the public mobile SDKs call it after a sync. The report is not stored. ${CALLER}`,
      tag,
      params: PhoneParams,
      body: z.looseObject({}).meta({ id: 'PhoneProgress' }),
      response: { 200: PhoneSuccess },
    },
    handler: async ({ work, params }) => {
      await receiveReport(work, params.user_id, params.phone_provider);
      return { success: true };
    },
  });
}
