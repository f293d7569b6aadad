import type { News, WearableProvider } from '../../adapters/wearable-provider/port.ts';
import { z } from 'zod';
import type { App } from '../../app.ts';
import { DAY, later } from '../../platform/clock.ts';
import { asSystem } from '../../platform/db/transact.ts';
import type { Http } from '../../platform/http/http.ts';
import type { VisitAnswer, VisitInput } from '../../platform/http/serve-open.ts';
import { ENVIRONMENTS, type Tenant } from '../../platform/tenant.ts';
import { inTenant, type Work } from '../../platform/work.ts';
import { findUsers, type User } from '../../users/users.ts';
import { applicationOf } from '../connections/application.ts';
import { availableOf } from '../connections/availability.ts';
import { boundedSpan } from '../connections/bounds.ts';
import { failConnection } from '../connections/fail.ts';
import { connectionOf, externalIndex, type Connection } from '../connections/connection.ts';
import * as connections from '../connections/store.ts';
import { enqueueDue } from './schedule.ts';
import { sinceKept } from './since.ts';
import * as store from './store.ts';

const PATH = '/v2/provider_webhook/:provider/:team_id/:environment';
/** More than any provider says at once. */
const NEWS_MAX = 1000;

const Place = z.object({
  team_id: z.uuid().transform((id) => id.toLowerCase()),
  environment: z.enum(ENVIRONMENTS),
});

/** Where providers tell that there is something new, each at the address that it was given for a team. */
export function newsRoutes(http: Http, app: App): void {
  for (const path of [PATH, `${PATH}/:kind`]) {
    http.visit(path, { methods: ['GET', 'HEAD', 'POST'], handler: (visit) => hear(app, visit) });
  }
}

const answer = (status: number, text = ''): VisitAnswer => ({
  status,
  headers: { 'content-type': text.startsWith('{') ? 'application/json' : 'text/plain; charset=utf-8' },
  text,
});

async function hear(app: App, visit: VisitInput): Promise<VisitAnswer> {
  const tenant = await tenantOf(app, visit);
  const body = app.wearableProviders.find(visit.params['provider'] ?? '');
  const application = tenant && body && (await applicationOf(app, tenant, body.slug));
  if (!tenant || !body || !application) return answer(404);
  const headers = Object.fromEntries(
    Object.entries(visit.headers).map(([name, value]) => [name, Array.isArray(value) ? value.join() : value]),
  );
  const heard = body.readNews(application, {
    method: visit.method,
    query: visit.query,
    headers,
    body: visit.body,
  });
  if (heard.kind === 'challenge') return answer(heard.status, heard.body);
  if (heard.kind === 'refused') {
    app.log.info({ provider: body.slug, team_id: tenant.teamId, reason: heard.reason }, 'news were refused');
    return answer(401);
  }
  for (let from = 0; from < heard.news.length; from += NEWS_MAX) {
    const some = heard.news.slice(from, from + NEWS_MAX);
    await inTenant(app, tenant, (work) => takeNews(work, body, some));
  }
  return answer(200);
}

async function tenantOf(app: App, { params }: VisitInput): Promise<Tenant | undefined> {
  const place = Place.safeParse(params);
  if (!place.success) return undefined;
  const tenant = { teamId: place.data.team_id, environment: place.data.environment };
  return (await asSystem(app.db, (tx) => store.isTenant(tx, tenant))) ? tenant : undefined;
}

/** What is new is asked for by a job; who took the grant back is not asked any more. */
async function takeNews(work: Work, body: WearableProvider, news: readonly News[]): Promise<void> {
  const { slug: provider } = body;
  const indexes = new Map(
    news.map(({ externalUserId }) => [
      externalUserId,
      externalIndex(work.cipher, { provider, externalUserId }),
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
  const told: Told[] = [];
  for (const row of rows) {
    const user = users.get(row.user_id);
    const connection = connectionOf(work.cipher, row);
    const own = news.filter(({ externalUserId }) => externalUserId === connection.grant?.externalUserId);
    if (!user || row.status !== 'connected') continue;
    if (own.some(({ deregistered }) => deregistered)) {
      const fault = { fault: 'deregistered_per_provider' as const, message: 'The provider told us so' };
      await failConnection(work, { id: row.id, ...fault });
    } else told.push(...own.map((one) => toldOf(body, { one, connection, user })));
  }
  const wanted = await pullsOf(work, told);
  await store.wantPulls(work, wanted);
  await enqueueDue(work, [...new Set(wanted.map(({ connectionId }) => connectionId))]);
}

/** What news says of one connection. */
interface Told {
  readonly connection: Connection;
  readonly user: User;
  readonly resources: readonly string[];
  readonly span: News['span'];
}

function toldOf(
  body: WearableProvider,
  { one: { resources, span }, connection, user }: { one: News; connection: Connection; user: User },
): Told {
  const available = new Set(availableOf(connection, body));
  return { connection, user, span, resources: resources.filter((resource) => available.has(resource)) };
}

async function pullsOf(work: Work, told: readonly Told[]): Promise<store.NewPull[]> {
  const users = new Map(told.map(({ connection, user }) => [connection.id, user]));
  const undated = told.filter(({ span }) => span === null);
  const pulls = [...told.flatMap(pullsOfDays), ...(await sinceKept(work, undated))];
  return pulls.flatMap((pull) => {
    const user = users.get(pull.connectionId);
    const span = user && boundedSpan(user, pull);
    return span ? [{ ...pull, ...span }] : [];
  });
}

/** A day more on either side: a provider's day is that of its user. */
const pullsOfDays = ({ connection: { id: connectionId }, resources, span }: Told): store.NewPull[] =>
  span
    ? resources.map((resource) => ({
        connectionId,
        resource,
        from: later(span.from, -DAY),
        to: later(span.to, DAY),
      }))
    : [];
