import {
  ProviderUnavailableError,
  type ProviderNotification,
  type WearableProvider,
} from '../../adapters/wearable-provider/port.ts';
import { z } from 'zod';
import type { App } from '../../app.ts';
import { DAY, later } from '../../platform/clock.ts';
import { asSystem } from '../../platform/db/transact.ts';
import type { Http } from '../../platform/http/http.ts';
import type { BrowserResponse, BrowserRequest } from '../../platform/http/serve-open.ts';
import { ENVIRONMENTS, type Tenant } from '../../platform/tenant.ts';
import { inTenant, type Work } from '../../platform/work.ts';
import { findUsers, type User } from '../../users/users/users.ts';
import { loadApplication } from '../connections/application.ts';
import { listAvailableResources } from '../connections/availability.ts';
import { clampToIngestionBounds } from '../connections/ingestion-bounds.ts';
import { failConnection } from '../connections/fail.ts';
import { openConnection, indexExternalUser, type ProviderConnection } from '../connections/connection.ts';
import * as connections from '../connections/store.ts';
import { enqueueDue } from '../connections/pull-schedule.ts';
import { planUndatedPulls } from '../connections/pull-windows.ts';
import * as store from '../connections/pull-store.ts';
import { deleteRecords } from './delete-records.ts';

const PATH = '/v2/provider_webhook/:provider/:team_id/:environment';
/** More than any provider sends at once. */
const NOTIFICATIONS_PER_TRANSACTION = 1000;

const TenantParams = z.object({
  team_id: z.uuid().transform((id) => id.toLowerCase()),
  environment: z.enum(ENVIRONMENTS),
});

/** Receives the webhooks of providers. Each team and environment has its own URL per provider. */
export function notificationRoutes(http: Http, app: App): void {
  for (const path of [PATH, `${PATH}/:kind`]) {
    http.visit(path, {
      methods: ['GET', 'HEAD', 'POST'],
      handler: (visit) => receiveNotification(app, visit),
    });
  }
}

const respond = (status: number, text = ''): BrowserResponse => ({
  status,
  headers: { 'content-type': text.startsWith('{') ? 'application/json' : 'text/plain; charset=utf-8' },
  text,
});

async function receiveNotification(app: App, visit: BrowserRequest): Promise<BrowserResponse> {
  const tenant = await findTenant(app, visit);
  const body = app.wearableProviders.find(visit.params['provider'] ?? '');
  const application = tenant && body && (await loadApplication(app, tenant, body.slug));
  if (!tenant || !body || !application) return respond(404);
  const headers = Object.fromEntries(
    Object.entries(visit.headers).map(([name, value]) => [name, Array.isArray(value) ? value.join() : value]),
  );
  const request = { method: visit.method, query: visit.query, headers, body: visit.body };
  const heard = await body.parseNotification(application, request).catch((error: unknown) => {
    if (!(error instanceof ProviderUnavailableError)) throw error;
    app.log.warn({ provider: body.slug, err: error.message }, 'a provider notification could not be checked');
    return undefined;
  });
  // The provider sends it again.
  if (!heard) return respond(503);
  if (heard.kind === 'challenge') return respond(heard.status, heard.body);
  if (heard.kind === 'refused') {
    app.log.info(
      { provider: body.slug, team_id: tenant.teamId, reason: heard.reason },
      'a provider notification was rejected',
    );
    return respond(401);
  }
  for (let from = 0; from < heard.news.length; from += NOTIFICATIONS_PER_TRANSACTION) {
    const some = heard.news.slice(from, from + NOTIFICATIONS_PER_TRANSACTION);
    await inTenant(app, tenant, (work) => applyNotifications(work, body, some));
  }
  return respond(heard.status ?? 200);
}

async function findTenant(app: App, { params }: BrowserRequest): Promise<Tenant | undefined> {
  const place = TenantParams.safeParse(params);
  if (!place.success) return undefined;
  const tenant = { teamId: place.data.team_id, environment: place.data.environment };
  return (await asSystem(app.db, (tx) => store.hasTenant(tx, tenant))) ? tenant : undefined;
}

/** Schedules pulls for new data. Connections whose user revoked the grant are marked as failed. */
async function applyNotifications(
  work: Work,
  body: WearableProvider,
  news: readonly ProviderNotification[],
): Promise<void> {
  const { slug: provider } = body;
  const indexes = new Map(
    news.map(({ externalUserId }) => [
      externalUserId,
      indexExternalUser(work.cipher, { provider, externalUserId }),
    ]),
  );
  const rows = await connections.listByExternal(work, { provider, indexes: [...indexes.values()] });
  const users = new Map(
    (
      await findUsers(
        work,
        rows.map(({ user_id }) => user_id),
      )
    ).map((user) => [user.id, user]),
  );
  const told: NotifiedConnection[] = [];
  for (const row of rows) {
    const user = users.get(row.user_id);
    const connection = openConnection(work.cipher, row);
    const own = news.filter(({ externalUserId }) => externalUserId === connection.grant?.externalUserId);
    if (!user || row.status !== 'connected') continue;
    if (own.some(({ deregistered }) => deregistered)) {
      const fault = { fault: 'deregistered_per_provider' as const, message: 'The provider reported it' };
      await failConnection(work, { id: row.id, ...fault });
    } else {
      told.push(...own.map((one) => toNotifiedConnection(body, { one, connection, user })));
      const deleted = own.flatMap((one) => one.deleted ?? []);
      await deleteRecords(work, { connectionId: row.id, userId: user.id, provider, deleted });
    }
  }
  const wanted = await toPulls(work, told);
  await store.addDuePulls(work, wanted);
  await enqueueDue(work, [...new Set(wanted.map(({ connectionId }) => connectionId))]);
}

/** A notification matched to a connection. */
interface NotifiedConnection {
  readonly connection: ProviderConnection;
  readonly user: User;
  readonly resources: readonly string[];
  readonly span: ProviderNotification['span'];
}

function toNotifiedConnection(
  body: WearableProvider,
  {
    one: { resources, span },
    connection,
    user,
  }: { one: ProviderNotification; connection: ProviderConnection; user: User },
): NotifiedConnection {
  const available = new Set(listAvailableResources(connection, body));
  return { connection, user, span, resources: resources.filter((resource) => available.has(resource)) };
}

async function toPulls(work: Work, told: readonly NotifiedConnection[]): Promise<store.PullWindow[]> {
  const users = new Map(told.map(({ connection, user }) => [connection.id, user]));
  const undated = told.filter(({ span }) => span === null);
  const pulls = [...told.flatMap(toDatedPulls), ...(await planUndatedPulls(work, undated))];
  return pulls.flatMap((pull) => {
    const user = users.get(pull.connectionId);
    const span = user && clampToIngestionBounds(user, pull);
    return span ? [{ ...pull, ...span }] : [];
  });
}

/** A day more on either side: a provider's dates are in the user's time zone. */
const toDatedPulls = ({
  connection: { id: connectionId },
  resources,
  span,
}: NotifiedConnection): store.PullWindow[] =>
  span
    ? resources.map((resource) => ({
        connectionId,
        resource,
        from: later(span.from, -DAY),
        to: later(span.to, DAY),
      }))
    : [];
