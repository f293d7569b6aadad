import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import type { WearableProvider } from '../../adapters/wearable-provider/port.ts';
import type { App } from '../../app.ts';
import { isoTimestamp, SECOND } from '../../platform/clock.ts';
import { DomainError } from '../../platform/errors.ts';
import type { DurableStepRunner } from '../../platform/http/route.ts';
import { newId } from '../../platform/ids.ts';
import type { Tenant } from '../../platform/tenant.ts';
import { readTenant, type Work } from '../../platform/work.ts';
import { findUsers } from '../../users/users/users.ts';
import { scheduleHistory, cancelPulls } from './pull-schedule.ts';
import * as bulkStore from './bulk-store.ts';
import { EXPORT_PAGE_SIZE, type BulkOp, type BulkTriggerBody, type ConnectionRecipe } from './bulk-schema.ts';
import { openConnection, type ProviderConnection } from './connection.ts';
import * as store from './store.ts';

/** The implementation of a provider; 400 if this deployment has none. */
export function requireProvider(app: Pick<App, 'wearableProviders'>, provider: string): WearableProvider {
  const body = app.wearableProviders.find(provider);
  if (body) return body;
  throw new DomainError('bad_request', `This deployment does not support the provider ${provider}`);
}

/** Schedules the history of connected users to be pulled again. Returns the id of the bulk operation. */
async function triggerHistoricalPulls(
  work: Work,
  body: WearableProvider,
  userIds: readonly string[],
): Promise<string> {
  // The share lock makes a concurrent pause wait, so that it sees these pulls and stops them.
  const rows = await store.shareLockOfUsers(work, { userIds, provider: body.slug });
  const users = new Map((await findUsers(work, userIds)).map((user) => [user.id, user]));
  const connections = rows.flatMap((row) => {
    const user = row.status === 'connected' && row.kind === 'oauth' ? users.get(row.user_id) : undefined;
    return user ? [{ connection: openConnection(work.cipher, row), user }] : [];
  });
  const id = newId();
  const asked = new Set(userIds).size;
  const done = { total: asked, failed: asked - connections.length, started_at: work.now };
  await bulkStore.insertBulkOp(work, {
    id,
    type: 'link_bulk_historical_trigger',
    provider: body.slug,
    ...done,
  });
  await scheduleHistory(work, connections, { body, bulkOpId: id });
  return id;
}

const POLL_INTERVAL_MS = 200;
const WAIT_MS = 30 * SECOND;

interface BulkTriggerRequest {
  readonly request: z.output<typeof BulkTriggerBody>;
  readonly begin: DurableStepRunner['runStep'];
}

/** Same as triggerHistoricalPulls, and waits if requested. Returns whether all pulls have ended. */
export async function triggerAndWait(
  app: App,
  tenant: Tenant,
  { request, begin }: BulkTriggerRequest,
): Promise<boolean> {
  const body = requireProvider(app, request.provider);
  const effect = (work: Work) => triggerHistoricalPulls(work, body, request.user_ids);
  const id = await begin({ shape: z.string(), effect });
  const looks = request.wait_for_completion ? WAIT_MS / POLL_INTERVAL_MS : 0;
  for (let look = 0; look < looks; look += 1) {
    const pending = await readTenant(app, tenant, (work) => bulkStore.countPending(work, id));
    if (pending === 0) return true;
    await sleep(POLL_INTERVAL_MS);
  }
  return false;
}

/** Stops all pulls of these connections until they are imported or linked again. */
export async function pauseConnections(
  work: Work,
  { provider, userIds }: { provider: string; userIds: readonly string[] },
): Promise<void> {
  const rows = await store.lockOfUsers(work, { userIds, provider });
  const paused = await store.pause(
    work,
    rows.map(({ id }) => id),
  );
  await cancelPulls(
    work,
    paused.map(({ id }) => id),
    'non_retriable_error',
  );
}

/** A page of the team's grants; connections without a grant are left out. */
export async function exportConnections(
  work: Work,
  page: { provider: string; userIds: readonly string[] | undefined; after: string | undefined },
): Promise<{ data: ConnectionRecipe[]; last: string | undefined }> {
  const rows = await store.listPage(work, { ...page, limit: EXPORT_PAGE_SIZE + 1 });
  const shown = rows.slice(0, EXPORT_PAGE_SIZE);
  return {
    data: shown.flatMap((row) => toRecipes(openConnection(work.cipher, row))),
    last: rows.length > EXPORT_PAGE_SIZE ? shown.at(-1)?.id : undefined,
  };
}

const toRecipes = ({ user_id, grant }: ProviderConnection): ConnectionRecipe[] =>
  grant === null
    ? []
    : [
        {
          user_id,
          access_token: grant.accessToken,
          refresh_token: grant.refreshToken ?? '',
          provider_id: grant.externalUserId ?? '',
          expires_at: Math.floor((grant.expiresAt?.getTime() ?? 0) / SECOND),
          oauth_scopes: [...grant.scopes],
        },
      ];

/** The state of an operation. Pulls that a later operation took over are counted there. */
export function toBulkOpView(op: bulkStore.BulkOpProgress): BulkOp {
  const running = op.pending > 0;
  const broken = op.failed + op.broken > 0;
  return {
    type: op.type,
    status: running ? 'in_progress' : broken ? 'failure' : 'success',
    // It was validated against the list when the operation was created.
    provider: op.provider as BulkOp['provider'],
    pending: op.pending,
    processed: op.total - op.pending,
    started_at: isoTimestamp(op.started_at),
    ended_at: running ? null : isoTimestamp(op.ended_at ?? op.started_at),
  };
}
