import { readFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { Pool, type Dispatcher } from 'undici';
import { inject } from 'vitest';
import type { RouteRow } from '../../src/platform/http/http.ts';
import type { CleanupTasks } from '../../../../tools/stage/cleanup.ts';
import { withDatabase } from '../database.ts';
import { databaseUrlOf } from '../database-url.ts';
import { buildService, freePort, startProcess, type ServiceProcess } from '../faults/service-process.ts';
import { openRouteSamples, type RouteSamples } from '../route-samples.ts';
import { openTestService, type TestService } from '../service.ts';
import { createForeignCredentials, type ForeignCredentials } from './credentials.ts';

/** The service under attack: its own process, on a database that has one of every resource. */
export interface AttackStage {
  readonly url: string;
  readonly service: ServiceProcess;
  readonly routes: readonly RouteRow[];
  /** Requests for the resources of the attacked team. */
  readonly samples: RouteSamples;
  readonly credentials: ForeignCredentials;
  /** Connections of the table owner. */
  readonly ownerPool: pg.Pool;
  send(request: AttackRequest): Promise<AttackAnswer>;
  /** Resident memory of the service process, in bytes. */
  memoryBytes(): Promise<number>;
}

export interface AttackRequest {
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
}

export interface AttackAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

/** Connections of the attacker; enough to keep the service busy. */
const CONNECTIONS = 64;

/** Fills a database in this process, leaves it, and starts the bundled service on it. */
export async function openAttackStage(cleanups: CleanupTasks): Promise<AttackStage> {
  const folder = await mkdtemp(join(tmpdir(), 'aliquot-attack-'));
  cleanups.push(() => rm(folder, { recursive: true, force: true }));
  const fixture = await openTestService({ DATA_DIR: folder });
  let left = false;
  cleanups.push(() => (left ? Promise.resolve() : fixture.close()));
  const { database, ...made } = await fill(fixture);
  await fixture.close({ keepDatabase: true });
  left = true;
  const { connection } = inject('server');
  cleanups.push(() => dropDatabase(connection, database));
  const service = await startVictim({ folder, connection: withDatabase(connection, database) }, cleanups);
  const ownerPool = new pg.Pool({ ...withDatabase(connection, database), max: 2 });
  cleanups.push(() => ownerPool.end());
  const pool = new Pool(service.url, { connections: CONNECTIONS, headersTimeout: 60_000 });
  cleanups.push(() => pool.destroy());
  return {
    ...made,
    url: service.url,
    service,
    ownerPool,
    send: (request) => send(pool, request),
    memoryBytes: () => readMemory(service.pid),
  };
}

/** Creates the resources on the time of this machine, which is the one that the service under attack will have. */
async function fill(fixture: TestService) {
  fixture.clock.move(Date.now() - fixture.clock.now().getTime());
  const samples = await openRouteSamples(fixture);
  const credentials = await createForeignCredentials(fixture, samples);
  await keepStill(fixture);
  const { rows } = await fixture.ownerPool.query<{ name: string }>('select current_database() as name');
  return { samples, credentials, routes: [...fixture.http.routes], database: rows[0]?.name ?? '' };
}

/** Orders and demo connections go on by themselves. What changes during the attack must be the attack's doing. */
async function keepStill(fixture: TestService): Promise<void> {
  await fixture.settle();
  await fixture.ownerPool.query(`update timer set due_wall = due_wall + interval '1 day'`);
}

async function startVictim(
  { folder, connection }: { folder: string; connection: pg.PoolConfig },
  cleanups: CleanupTasks,
): Promise<ServiceProcess> {
  const bundle = await buildService();
  cleanups.push(bundle.release);
  const service = await startProcess(bundle.serve, {
    DATA_DIR: folder,
    DATABASE_URL: connection.connectionString ?? databaseUrlOf(connection),
    // The key that sealed the rows of the fixture.
    ENCRYPTION_KEY: Buffer.alloc(32, 7).toString('base64'),
    // Every request can come from another address, so that limits by address do not hide other answers.
    TRUSTED_PROXIES: '127.0.0.0/8',
    // Generated requests must reach the operations. What a limit does is another test's subject.
    RATE_LIMIT_TEAM: '0',
    RATE_LIMIT_KEY: '0',
    RATE_LIMIT_ADDRESS: '0',
    LOG_LEVEL: 'warn',
    NODE_ENV: 'production',
    PORT: String(await freePort()),
  });
  cleanups.push(() => service.stop());
  return service;
}

async function send(pool: Pool, { method, path, headers = {}, body }: AttackRequest): Promise<AttackAnswer> {
  const answer = await pool.request({
    method: method as Dispatcher.HttpMethod,
    path,
    headers,
    body: body ?? null,
  });
  return { status: answer.statusCode, headers: answer.headers, text: await answer.body.text() };
}

async function readMemory(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  const [, kilobytes] = /^VmRSS:\s+(\d+) kB$/m.exec(status) ?? [];
  return Number(kilobytes) * 1024;
}

async function dropDatabase(connection: pg.PoolConfig, database: string): Promise<void> {
  const admin = new pg.Client(connection);
  await admin.connect();
  await admin.query(`drop database if exists ${database} with (force)`);
  await admin.end();
}

/** An address that no other request of this run has. */
export function nextAddress(): string {
  addresses += 1;
  return `10.${(addresses >> 16) & 255}.${(addresses >> 8) & 255}.${addresses & 255}`;
}
let addresses = 0;
