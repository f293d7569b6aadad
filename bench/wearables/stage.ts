import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import pg from 'pg';
import type { App } from '../../src/app.ts';
import { newId } from '../../src/platform/ids.ts';
import type { Tenant } from '../../src/platform/tenant.ts';
import { leavingNothing } from '../../test/faults/stage.ts';
import { PROGRAMS } from '../../tools/builds/bundle.mjs';
import type * as service from './service.ts';

type Service = typeof service;

/** The app in this process, and beside it a table of rows with the key of ours and nothing else. */
export interface SampleStage {
  readonly service: Service;
  readonly app: App;
  readonly tenant: Tenant;
  /** Connections of the owner: as many as the app has. */
  readonly pool: pg.Pool;
  /** A new user; answers its id. */
  readonly user: () => Promise<string>;
}

const CONNECTIONS = 10;
const root = new URL('../../', import.meta.url);

const BARE = `
  create table bare_sample (
    at bigint not null, value double precision, until bigint, stream_id integer not null, source_id integer not null,
    zone_offset integer, team_id uuid not null, environment text not null, type text, more bytea, more_digest bytea,
    primary key (team_id, environment, stream_id, at))`;

export const onSampleStage = <T>(play: (stage: SampleStage) => Promise<T>): Promise<T> =>
  leavingNothing(async (leave) => {
    const folder = await mkdtemp(join(tmpdir(), 'aliquot-bench-samples-'));
    leave.push(() => rm(folder, { recursive: true, force: true }));
    const DATABASE_URL = await databaseOf(process.env['DATABASE_URL'], leave);
    const pooled = { DATABASE_POOL: String(CONNECTIONS), DATABASE_URL };
    const service = await bundled(leave);
    const config = service.readConfig({ DATA_DIR: folder, LOG_LEVEL: 'silent', ...pooled });
    const { app, pools, close } = await service.openApp({
      config,
      log: service.openLog('silent'),
      root,
    });
    leave.push(close);
    const org = await service.createOrganization(app, { name: 'Bench' });
    const team = await service.createTeam(app, { orgId: org.id, name: 'Bench', region: 'us' });
    const tenant: Tenant = { teamId: team.id, environment: 'production' };
    const pool = new pg.Pool({ ...pools.ownerPool.options, max: CONNECTIONS });
    leave.push(() => pool.end());
    await pool.query(BARE);
    const user = () =>
      service.inTenant(app, tenant, async (work) => {
        const made = await service.createUser(work, { client_user_id: newId() });
        return made.id;
      });
    return { service, app, tenant, pool, user };
  }, play);

/** The service in a bundle made as tools/builds/bundle.mjs makes them, next to the programs that it runs in threads. */
async function bundled(leave: (() => Promise<unknown>)[]): Promise<Service> {
  const outdir = fileURLToPath(new URL(`dist/bench-samples-${process.pid}`, root));
  leave.push(() => rm(outdir, { recursive: true, force: true }));
  await build({
    absWorkingDir: fileURLToPath(root),
    entryPoints: { service: 'bench/wearables/service.ts', ...PROGRAMS },
    outdir,
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    target: 'node20',
    logLevel: 'warning',
  });
  return import(join(outdir, 'service.js'));
}

/** A database of its own on the server that is named; undefined for an embedded one. */
async function databaseOf(
  server: string | undefined,
  leave: (() => Promise<unknown>)[],
): Promise<string | undefined> {
  if (server === undefined) return undefined;
  const name = `aliquot_bench_samples_${process.pid}`;
  const run = async (statement: string) => {
    const client = new pg.Client({ connectionString: server });
    await client.connect();
    await client.query(statement).finally(() => client.end());
  };
  await run(`create database ${name}`);
  leave.push(() => run(`drop database ${name} with (force)`));
  const url = new URL(server);
  url.pathname = `/${name}`;
  return url.href;
}
