import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import type { WearableProvider } from '../../adapters/wearable-provider/port.ts';
import type { App } from '../../app.ts';
import { isoMoment, SECOND } from '../../platform/clock.ts';
import { DomainError } from '../../platform/errors.ts';
import type { Beginner } from '../../platform/http/route.ts';
import { newId } from '../../platform/ids.ts';
import type { Tenant } from '../../platform/tenant.ts';
import { readTenant, type Work } from '../../platform/work.ts';
import { findUsers } from '../../users/users.ts';
import { scheduleHistory, unschedule } from '../pulls/schedule.ts';
import * as bulkStore from './bulk-store.ts';
import { EXPORT_PAGE, type BulkOp, type BulkTrigger, type Recipe } from './bulk-schema.ts';
import { connectionOf, type Connection } from './connection.ts';
import * as store from './store.ts';

/** What can be asked for grants by us; 400 for a provider that we cannot speak with. */
export function requireBody(app: Pick<App, 'wearableProviders'>, provider: string): WearableProvider {
  const body = app.wearableProviders.find(provider);
  if (body) return body;
  throw new DomainError('bad_request', `This deployment cannot speak with ${provider} yet`);
}

/** Asks anew for the past of connections that work. Answers the operation, by which its progress can be read. */
export async function triggerHistory(
  work: Work,
  body: WearableProvider,
  userIds: readonly string[],
): Promise<string> {
  // What is paused from now on finds what is asked for here, and stops it.
  const rows = await store.holdOfUsers(work, { userIds, provider: body.slug });
  const users = new Map((await findUsers(work, userIds)).map((user) => [user.id, user]));
  const connections = rows.flatMap((row) => {
    const user = row.status === 'connected' && row.kind === 'oauth' ? users.get(row.user_id) : undefined;
    return user ? [{ connection: connectionOf(work.cipher, row), user }] : [];
  });
  const id = newId();
  const asked = new Set(userIds).size;
  const done = { total: asked, failed: asked - connections.length, started_at: work.now };
  await bulkStore.insertOp(work, { id, type: 'link_bulk_historical_trigger', provider: body.slug, ...done });
  await scheduleHistory(work, connections, { body, bulkOpId: id });
  return id;
}

const LOOK_EVERY_MS = 200;
const WAIT_MS = 30 * SECOND;

interface Trigger {
  readonly asked: z.output<typeof BulkTrigger>;
  readonly begin: Beginner['begin'];
}

/** The same, and waits for it where that is wanted; answers whether all is done. */
export async function triggerAndWait(app: App, tenant: Tenant, { asked, begin }: Trigger): Promise<boolean> {
  const body = requireBody(app, asked.provider);
  const effect = (work: Work) => triggerHistory(work, body, asked.user_ids);
  const id = await begin({ shape: z.string(), effect });
  const looks = asked.wait_for_completion ? WAIT_MS / LOOK_EVERY_MS : 0;
  for (let look = 0; look < looks; look += 1) {
    const pending = await readTenant(app, tenant, (work) => bulkStore.countPending(work, id));
    if (pending === 0) return true;
    await sleep(LOOK_EVERY_MS);
  }
  return false;
}

/** Nothing is asked of these connections until they are imported or linked anew. */
export async function pauseConnections(
  work: Work,
  { provider, userIds }: { provider: string; userIds: readonly string[] },
): Promise<void> {
  const rows = await store.lockOfUsers(work, { userIds, provider });
  const paused = await store.pause(
    work,
    rows.map(({ id }) => id),
  );
  await unschedule(
    work,
    paused.map(({ id }) => id),
    'non_retriable_error',
  );
}

/** The grants of a team, to be taken elsewhere; those that users granted and that are whole. */
export async function exportConnections(
  work: Work,
  page: { provider: string; userIds: readonly string[] | undefined; after: string | undefined },
): Promise<{ data: Recipe[]; last: string | undefined }> {
  const rows = await store.pageOfProvider(work, { ...page, limit: EXPORT_PAGE + 1 });
  const shown = rows.slice(0, EXPORT_PAGE);
  return {
    data: shown.flatMap((row) => recipeOf(connectionOf(work.cipher, row))),
    last: rows.length > EXPORT_PAGE ? shown.at(-1)?.id : undefined,
  };
}

const recipeOf = ({ user_id, grant }: Connection): Recipe[] =>
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

/** What became of an operation. Pulls that somebody asked for anew since are counted there. */
export function viewOp(op: bulkStore.OpState): BulkOp {
  const running = op.pending > 0;
  const broken = op.failed + op.broken > 0;
  return {
    type: op.type,
    status: running ? 'in_progress' : broken ? 'failure' : 'success',
    // It was one of the list when it was asked for.
    provider: op.provider as BulkOp['provider'],
    pending: op.pending,
    processed: op.total - op.pending,
    started_at: isoMoment(op.started_at),
    ended_at: running ? null : isoMoment(op.ended_at ?? op.started_at),
  };
}
