import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import type { DestinationStream } from 'pino';
import { inject } from 'vitest';
import type { App } from '../src/app.ts';
import { buildApp, buildHttp } from '../src/compose.ts';
import {
  createManagementKey,
  createOrganization,
  createTeam,
  createTeamKey,
} from '../src/identity/management/management.ts';
import { manualClock } from '../src/platform/clock.ts';
import { readConfig } from '../src/platform/config.ts';
import { openKeyring } from '../src/platform/crypto/keyring.ts';
import { openPools } from '../src/platform/db/open.ts';
import type { Http } from '../src/platform/http/http.ts';
import { enableStrictSerialization } from '../src/platform/http/serializer.ts';
import { createNotifier, WAKEUPS, type Notifier } from '../src/platform/jobs/notifier.ts';
import { openTelemetry } from '../src/platform/telemetry/telemetry.ts';
import { openLog } from '../src/platform/log.ts';
import type { Environment, Tenant } from '../src/platform/tenant.ts';
import { startMonitoring } from '../src/monitoring/monitoring.ts';
import { startWorkers } from '../src/service.ts';
import { withDatabase } from './database.ts';
import { openReceiver, type Receiver } from './receiver.ts';
import { logStatements } from './statement-log.ts';

/** A parsed response. `json` is undefined for an empty body. */
export interface ApiResponse {
  readonly status: number;
  readonly headers: Record<string, unknown>;
  readonly text: string;
  // Tests read wire documents of every shape.
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  readonly json: any;
}

export interface ApiClient {
  get(url: string, headers?: Record<string, string>): Promise<ApiResponse>;
  post(url: string, body?: unknown, headers?: Record<string, string>): Promise<ApiResponse>;
  patch(url: string, body?: unknown, headers?: Record<string, string>): Promise<ApiResponse>;
  put(url: string, body?: unknown, headers?: Record<string, string>): Promise<ApiResponse>;
  delete(url: string, headers?: Record<string, string>): Promise<ApiResponse>;
}

/** A new team for one test. Its calls use its sandbox key. */
export interface TestTeam extends ApiClient {
  readonly tenant: Tenant;
  readonly key: string;
  readonly orgId: string;
  /** The organization's management key. */
  readonly management: ApiClient;
  readonly managementKey: string;
  /** Creates a user of this team; returns its id. */
  user(clientUserId?: string): Promise<string>;
  /** A webhook endpoint of this team with a receiver; `events()` are the received event types, oldest first. */
  endpoint(options?: { filter_types?: string[] }): Promise<Receiver & { events(): string[] }>;
}

/** A whole service in this process, on its own database. */
export interface TestService {
  readonly app: App;
  readonly http: Http;
  readonly clock: ReturnType<typeof manualClock>;
  /** Connections of the table owner, which see all rows. */
  readonly ownerPool: pg.Pool;
  team(environment?: Environment): Promise<TestTeam>;
  client(headers: Record<string, string>): ApiClient;
  /** Waits until the service is idle: no event to place, no due timer, no job, no due delivery. */
  settle(): Promise<void>;
  /** Drops the database, unless `keepDatabase` is set to inspect it. */
  close(what?: { keepDatabase: boolean }): Promise<void>;
}

enableStrictSerialization();

let databases = 0;

/** Starts the whole service: routes, SQL, queue, sender, simulated external systems, a manual clock. No mocks. */
export async function openTestService(
  settings: Record<string, string> = {},
  logTo?: DestinationStream,
  overrides: Partial<App> = {},
): Promise<TestService> {
  const { connection, template, strategy, driver } = inject('server');
  const opened = performance.now();
  const database = `aliquot_test_${process.pid}_${(databases += 1)}_${randomUUID().slice(0, 8)}`;
  await asAdmin(connection, [
    `create database ${database} template ${template} strategy ${strategy}`,
    // Test data does not have to survive a power failure.
    `alter database ${database} set synchronous_commit = off`,
  ]);
  const folder = await mkdtemp(join(tmpdir(), 'aliquot-house-'));
  const config = readConfig({
    DATA_DIR: folder,
    LOG_LEVEL: 'silent',
    DATABASE_POOL: '20',
    DATABASE_DRIVER: driver,
    LAB_MLLP_PORTS: '10000-19999',
    LAB_MLLP_SANDBOX_PORTS: '20000-29999',
    ...settings,
  });
  const telemetry = openTelemetry(config);
  const log = logTo
    ? openLog('debug', { ...telemetry, destination: logTo })
    : openLog(process.env['HOUSE_LOG'] ?? 'silent');
  telemetry.logFailures(log);
  const pools = openPools(
    withDatabase(connection, database),
    {
      size: config.DATABASE_POOL,
      driver: config.DATABASE_DRIVER,
      isTraced: telemetry.tracer !== undefined,
    },
    log,
  );
  const keyring = openKeyring(pools.db, Buffer.alloc(32, 7).toString('base64'));
  const bell = createNotifier();
  const clock = wakeOnMove(manualClock(new Date('2026-03-02T15:00:00Z')), bell);
  const root = new URL('../', import.meta.url);
  const platform = { config, log, clock, keyring, db: pools.db, notifier: bell, telemetry };
  const app = { ...buildApp(platform, root), ...overrides };
  const monitoring = startMonitoring(app, pools.ownerPool);
  const http = buildHttp(app);
  await http.server.ready();
  const workers = await startWorkers(app, pools);
  const receivers: Receiver[] = [];
  const caller = (headers: Record<string, string>) => createClient(http, headers);
  return {
    app,
    http,
    clock,
    ownerPool: pools.ownerPool,
    client: caller,
    team: (environment = 'sandbox') =>
      openTeam({
        app,
        caller,
        receivers,
        environment,
        placeEvents: () => waitUntilZero(pools.ownerPool, UNPLACED_EVENTS, () => []),
      }),
    settle: () => settle(pools.ownerPool, app),
    close: async ({ keepDatabase } = { keepDatabase: false }) => {
      await workers.stop();
      monitoring.stop();
      await http.server.close();
      await pools.close();
      await telemetry.close();
      await Promise.all(receivers.map((receiver) => receiver.close()));
      await rm(folder, { recursive: true, force: true });
      const admin = new pg.Client(connection);
      await admin.connect();
      await logStatements(admin, database, opened);
      if (!keepDatabase) await admin.query(`drop database ${database} with (force)`);
      await admin.end();
    },
  };
}

async function asAdmin(connection: pg.PoolConfig, statements: readonly string[]): Promise<void> {
  const admin = new pg.Client(connection);
  await admin.connect();
  for (const statement of statements) await admin.query(statement);
  await admin.end();
}

/** Moving the clock wakes every loop that waits for a time; otherwise each would poll up to a second later. */
function wakeOnMove(clock: ReturnType<typeof manualClock>, bell: Notifier): ReturnType<typeof manualClock> {
  return {
    now: clock.now,
    move: (milliseconds) => {
      clock.move(milliseconds);
      for (const ring of WAKEUPS) bell.notify(ring);
    },
  };
}

function createClient(http: Http, base: Record<string, string>): ApiClient {
  const send = async (
    method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE',
    url: string,
    rest: RequestParts,
  ): Promise<ApiResponse> => {
    const payload = rest.body === undefined ? {} : { payload: JSON.stringify(rest.body) };
    const type = rest.body === undefined ? {} : { 'content-type': 'application/json' };
    const answer = await http.server.inject({
      method,
      url,
      headers: { ...type, ...base, ...rest.headers },
      ...payload,
    });
    const json = answer.body === '' || !isJson(answer.headers) ? undefined : JSON.parse(answer.body);
    return { status: answer.statusCode, headers: answer.headers, text: answer.body, json };
  };
  return {
    get: (url, headers) => send('GET', url, { headers }),
    post: (url, body, headers) => send('POST', url, { body, headers }),
    patch: (url, body, headers) => send('PATCH', url, { body, headers }),
    put: (url, body, headers) => send('PUT', url, { body, headers }),
    delete: (url, headers) => send('DELETE', url, { headers }),
  };
}

interface RequestParts {
  body?: unknown;
  headers: Record<string, string> | undefined;
}

/** One document, in any vocabulary; not lines of documents. */
export const isJson = (headers: Record<string, unknown>): boolean =>
  /[/+]json\b/.test(String(headers['content-type']));

interface TeamDependencies {
  app: App;
  /** A new endpoint also gets events that are not placed yet; tests expect only later events, so place them first. */
  placeEvents: () => Promise<void>;
  caller: (headers: Record<string, string>) => ApiClient;
  receivers: Receiver[];
  environment: Environment;
}

async function openTeam({
  app,
  caller,
  receivers,
  environment,
  placeEvents,
}: TeamDependencies): Promise<TestTeam> {
  const org = await createOrganization(app, { name: 'Test organization' });
  const team = await createTeam(app, { orgId: org.id, name: 'Test team', region: 'us' });
  const tenant = { teamId: team.id, environment };
  const { value: key } = await createTeamKey(app, { tenant, label: 'test' });
  const { key: managementKey } = await createManagementKey(app, {
    orgId: org.id,
    label: 'test',
    role: 'org_admin',
  });
  const calls = caller({ 'x-service-api-key': key });
  const management = caller({ 'x-management-key': managementKey });
  return {
    ...calls,
    tenant,
    key,
    orgId: org.id,
    management,
    managementKey,
    user: async (clientUserId = `client-${randomUUID()}`) => {
      const answer = await calls.post('/v2/user', { client_user_id: clientUserId });
      if (answer.status !== 200) throw new Error(`No user: ${answer.text}`);
      return answer.json.user_id;
    },
    endpoint: async (options = {}) => {
      await placeEvents();
      const receiver = await openReceiver();
      receivers.push(receiver);
      const path = `/v1/org/${org.id}/team/${team.id}/${environment}/webhook`;
      const answer = await management.post(path, { url: receiver.url, ...options });
      if (answer.status !== 200) throw new Error(`No endpoint: ${answer.text}`);
      return Object.assign(receiver, { events: () => receiver.received.map(({ body }) => body.event_type) });
    },
  };
}

/** Below the timeout of a test, so that a service that never settles is reported as such. */
const TIMEOUT_MS = 50_000;

const settle = (owner: pg.Pool, app: App): Promise<void> =>
  waitUntilZero(owner, PENDING_WORK, () => [app.clock.now()]);

/** Polls a counting query until it returns 0. */
async function waitUntilZero(owner: pg.Pool, count: string, values: () => unknown[]): Promise<void> {
  const until = performance.now() + TIMEOUT_MS;
  while (performance.now() < until) {
    const { rows } = await owner.query<{ left: number }>(count, values());
    if (rows[0]?.left === 0) return;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  throw new Error(`The service did not settle within ${TIMEOUT_MS} ms`);
}

const UNPLACED_EVENTS = 'select count(*) as left from event where position is null';

// Not `now()`, which is older than the query's snapshot: a job that was added meanwhile would not be counted.
const PENDING_WORK = `select (select count(*) from event where position is null)
  + (select count(*) from timer where due_wall <= $1)
  + (select count(*) from webhook_delivery where status = 'pending' and due_wall <= $1)
  + (select count(*) from webhook_bundle b join webhook_endpoint e on e.id = b.endpoint_id
      where b.due_wall <= $1 and e.disabled_at is null)
  + (select count(*) from graphile_worker.jobs where run_at <= clock_timestamp() and attempts < max_attempts) as left`;
