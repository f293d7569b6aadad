import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { inject } from 'vitest';
import type { App } from '../src/app.ts';
import { buildApp, buildHttp } from '../src/build.ts';
import {
  createManagementKey,
  createOrganization,
  createTeam,
  createTeamKey,
} from '../src/management/management.ts';
import { handClock } from '../src/platform/clock.ts';
import { readConfig } from '../src/platform/config.ts';
import { openKeyring } from '../src/platform/crypto/keyring.ts';
import { openPools } from '../src/platform/db/open.ts';
import type { Http } from '../src/platform/http/http.ts';
import { beStrict } from '../src/platform/http/serializer.ts';
import { openBell, RINGS, type Bell } from '../src/platform/jobs/bell.ts';
import { openLog } from '../src/platform/log.ts';
import type { Environment, Tenant } from '../src/platform/tenant.ts';
import { startWorkers } from '../src/service.ts';
import { inDatabase } from './database.ts';
import { openReceiver, type Receiver } from './receiver.ts';

/** An answer, already parsed. `json` is undefined for an empty body. */
export interface Answer {
  readonly status: number;
  readonly headers: Record<string, unknown>;
  readonly text: string;
  // Tests read wire documents of every shape.
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  readonly json: any;
}

export interface Caller {
  get(url: string, headers?: Record<string, string>): Promise<Answer>;
  post(url: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
  patch(url: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
  put(url: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
  delete(url: string, headers?: Record<string, string>): Promise<Answer>;
}

/** A team of its own for one test; what it calls goes with its sandbox key. */
export interface TeamInHand extends Caller {
  readonly tenant: Tenant;
  readonly key: string;
  readonly orgId: string;
  /** The organization's management key. */
  readonly management: Caller;
  readonly managementKey: string;
  /** A user of this team; answers its id. */
  user(clientUserId?: string): Promise<string>;
  /** An endpoint of this team that listens; `events()` are the bodies that it got so far, oldest first. */
  endpoint(options?: { filter_types?: string[] }): Promise<Receiver & { events(): string[] }>;
}

export interface House {
  readonly app: App;
  readonly http: Http;
  readonly clock: ReturnType<typeof handClock>;
  /** A connection that owns the tables and sees everything. */
  readonly owner: pg.Pool;
  team(environment?: Environment): Promise<TeamInHand>;
  caller(headers: Record<string, string>): Caller;
  /** Waits until nothing is left to do: no event to place, no due timer, no job, no due delivery. */
  settle(): Promise<void>;
  /** Its database goes with it, unless somebody wants to look at what is left. */
  close(what?: { keepDatabase: boolean }): Promise<void>;
}

beStrict();

let databases = 0;

/** The whole house: routes, SQL, queue, sender, simulated outside, a clock in hand. Nothing of ours is mocked. */
export async function openHouse(settings: Record<string, string> = {}): Promise<House> {
  const { connection, template, strategy } = inject('server');
  const database = `aliquot_test_${process.pid}_${(databases += 1)}_${randomUUID().slice(0, 8)}`;
  await asAdmin(connection, [
    `create database ${database} template ${template} strategy ${strategy}`,
    // What a test acknowledges need not survive a power cut.
    `alter database ${database} set synchronous_commit = off`,
  ]);
  const folder = await mkdtemp(join(tmpdir(), 'aliquot-house-'));
  const log = openLog(process.env['HOUSE_LOG'] ?? 'silent');
  const config = readConfig({ DATA_DIR: folder, LOG_LEVEL: 'silent', DATABASE_POOL: '20', ...settings });
  const pools = openPools(inDatabase(connection, database), config.DATABASE_POOL, log);
  const keyring = openKeyring(pools.db, Buffer.alloc(32, 7).toString('base64'));
  const bell = openBell();
  const clock = ringing(handClock(new Date('2026-03-02T15:00:00Z')), bell);
  const root = new URL('../', import.meta.url);
  const app = buildApp({ config, log, clock, keyring, db: pools.db, bell }, root);
  const http = buildHttp(app);
  await http.server.ready();
  const workers = await startWorkers(app, pools);
  const receivers: Receiver[] = [];
  const caller = (headers: Record<string, string>) => callerOf(http, headers);
  return {
    app,
    http,
    clock,
    owner: pools.ownerPool,
    caller,
    team: (environment = 'sandbox') => openTeam({
        app,
        caller,
        receivers,
        environment,
        placeEvents: () => untilNone(pools.ownerPool, UNPLACED, () => []),
      }),
    settle: () => settle(pools.ownerPool, app),
    close: async ({ keepDatabase } = { keepDatabase: false }) => {
      await workers.stop();
      await http.server.close();
      await pools.close();
      await Promise.all(receivers.map((receiver) => receiver.close()));
      await rm(folder, { recursive: true, force: true });
      if (!keepDatabase) await asAdmin(connection, [`drop database ${database} with (force)`]);
    },
  };
}

async function asAdmin(connection: pg.PoolConfig, statements: readonly string[]): Promise<void> {
  const admin = new pg.Client(connection);
  await admin.connect();
  for (const statement of statements) await admin.query(statement);
  await admin.end();
}

/** Moving the clock wakes every loop that waits for a time; on its own, each would look up to a second later. */
function ringing(clock: ReturnType<typeof handClock>, bell: Bell): ReturnType<typeof handClock> {
  return {
    now: clock.now,
    move: (milliseconds) => {
      clock.move(milliseconds);
      for (const ring of RINGS) bell.ring(ring);
    },
  };
}

function callerOf(http: Http, base: Record<string, string>): Caller {
  const send = async (
    method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE',
    url: string,
    rest: Sent,
  ): Promise<Answer> => {
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

interface Sent {
  body?: unknown;
  headers: Record<string, string> | undefined;
}

const isJson = (headers: Record<string, unknown>) => String(headers['content-type']).includes('json');

interface Hands {
  app: App;
  /** An event that waits for its place when an endpoint is made is owed to it; a test wants only what comes after. */
  placeEvents: () => Promise<void>;
  caller: (headers: Record<string, string>) => Caller;
  receivers: Receiver[];
  environment: Environment;
}

async function openTeam({ app, caller, receivers, environment, placeEvents }: Hands): Promise<TeamInHand> {
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

/** Below the limit of a test, so that one that never settles says so. */
const PATIENCE_MS = 50_000;

const settle = (owner: pg.Pool, app: App): Promise<void> => untilNone(owner, LEFT, () => [app.clock.now()]);

/** Until a query counts nothing that is left. */
async function untilNone(owner: pg.Pool, count: string, values: () => unknown[]): Promise<void> {
  const until = performance.now() + PATIENCE_MS;
  while (performance.now() < until) {
    const { rows } = await owner.query<{ left: number }>(count, values());
    if (rows[0]?.left === 0) return;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  throw new Error(`The house did not settle within ${PATIENCE_MS} ms`);
}

const UNPLACED = 'select count(*) as left from event where position is null';

// `now()` is older than what the query sees: a job that was put in meanwhile would lie after it, and not be counted.
const LEFT = `select (select count(*) from event where position is null)
  + (select count(*) from timer where due_wall <= $1)
  + (select count(*) from webhook_delivery where status = 'pending' and due_wall <= $1)
  + (select count(*) from webhook_bundle b join webhook_endpoint e on e.id = b.endpoint_id
      where b.due_wall <= $1 and e.disabled_at is null)
  + (select count(*) from graphile_worker._private_jobs where run_at <= clock_timestamp() and attempts < max_attempts) as left`;
