import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import type pg from 'pg';
import type { App } from '../../packages/server/src/app.ts';
import { newId } from '../../packages/server/src/platform/ids.ts';
import type { Tenant } from '../../packages/server/src/platform/tenant.ts';
import { defineStage, type BenchSize } from '../../tools/bench/bench-case.ts';
import type { CleanupTasks } from '../../tools/stage/cleanup.ts';
import { PROGRAMS } from '../../tools/builds/bundle.mjs';
import { ownPackages } from '../../tools/builds/own-packages.mjs';
import { ROOT } from '../../tools/builds/paths.mjs';
import { createDatabase, openPool } from '../../tools/stage/database.ts';
import { openFolder } from '../folder.ts';
import type * as service from './service.ts';

type BenchService = typeof service;

/** The app in this process, and a plain table of rows with the same key. */
export interface SampleStage {
  readonly service: BenchService;
  readonly app: App;
  readonly tenant: Tenant;
  /** Connections of the database owner: as many as the app has. */
  readonly pool: pg.Pool;
  /** Creates a user; returns its id. */
  readonly user: () => Promise<string>;
}

const CONNECTIONS = 10;
const root = new URL('../../packages/server/', import.meta.url);

const BARE = `
  create table bare_sample (
    at bigint not null, value double precision, until bigint, stream_id integer not null, source_id integer not null,
    zone_offset integer, team_id uuid not null, environment text not null, type text, more bytea, more_digest bytea,
    primary key (team_id, environment, stream_id, at))`;

export const sampleStage = defineStage<SampleStage>({
  name: 'samples',
  expectedSeconds: { full: 12, quick: 5 },
  // The rows and caches of one case would affect the next one.
  isFreshForEachCase: { full: true, quick: false },
  open: openStage,
});

async function openStage(cleanups: CleanupTasks, size: BenchSize): Promise<SampleStage> {
  const folder = await openFolder('samples', cleanups, size);
  const server = process.env['DATABASE_URL'];
  const DATABASE_URL =
    server && (await createDatabase(server, `aliquot_bench_samples_${process.pid}`, cleanups));
  const pooled = { DATABASE_POOL: String(CONNECTIONS), DATABASE_URL };
  const service = await bundleService(cleanups);
  const config = service.readConfig({ DATA_DIR: folder, LOG_LEVEL: 'silent', ...pooled });
  const { app, pools, close } = await service.openApp({ config, log: service.openLog('silent'), root });
  cleanups.push(close);
  const org = await service.createOrganization(app, { name: 'Bench' });
  const team = await service.createTeam(app, { orgId: org.id, name: 'Bench', region: 'us' });
  const tenant: Tenant = { teamId: team.id, environment: 'production' };
  const pool = openPool({ ...pools.ownerPool.options, max: CONNECTIONS }, cleanups);
  await pool.query(BARE);
  const user = () =>
    service.inTenant(app, tenant, async (work) => {
      const made = await service.createUser(work, { client_user_id: newId() });
      return made.id;
    });
  return { service, app, tenant, pool, user };
}

/** Bundles the service as tools/builds/bundle.mjs does, next to the programs that it runs in threads. */
async function bundleService(cleanups: CleanupTasks): Promise<BenchService> {
  const outdir = fileURLToPath(new URL(`dist/bench-samples-${process.pid}`, root));
  cleanups.push(() => rm(outdir, { recursive: true, force: true }));
  await build({
    absWorkingDir: ROOT,
    entryPoints: { service: 'bench/wearables/service.ts', ...PROGRAMS },
    outdir,
    bundle: true,
    packages: 'external',
    alias: ownPackages(),
    platform: 'node',
    format: 'esm',
    target: 'node20',
    logLevel: 'warning',
  });
  return import(join(outdir, 'service.js'));
}
