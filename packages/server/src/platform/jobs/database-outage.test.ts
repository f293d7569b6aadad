import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { openOutageProxy, type OutageProxy } from '../../../test/faults/outage-proxy.ts';
import { openTestService, type TestService, type TestTeam } from '../../../test/service.ts';
import { openPools, type Pools } from '../db/open.ts';
import type { Platform } from '../work.ts';
import { inTenant } from '../work.ts';
import { defineJob, enqueueUnique, startQueue } from './jobs.ts';

let service: TestService;
let team: TestTeam;
let cable: OutageProxy;
let pools: Pools;
const stops: (() => Promise<void>)[] = [];
beforeAll(async () => {
  service = await openTestService();
  team = await service.team();
  const { database } = (await service.ownerPool.query('select current_database() as database')).rows[0];
  const { way, user } = wayOf(service.ownerPool.options);
  cable = await openOutageProxy(way);
  const server = { host: '127.0.0.1', port: cable.port, user, database, ssl: false };
  const { config, log } = service.app;
  pools = openPools(server, { size: 2, driver: config.DATABASE_DRIVER }, log);
});
afterAll(async () => {
  await Promise.all(stops.map((stop) => stop()));
  await pools.close();
  await cable.close();
  await service.close();
});

/** Where the database listens: a port, or the socket of an embedded one. */
function wayOf({ connectionString, host = '', port = 5432, user }: pg.PoolConfig) {
  if (connectionString === undefined) return { way: join(host, `.s.PGSQL.${port}`), user };
  const url = new URL(connectionString);
  return { way: Number(url.port || 5432), user: decodeURIComponent(url.username) };
}

type ConnectionCut = (cable: OutageProxy) => void;
const CUTS: [string, ConnectionCut][] = [
  ['its connections are refused', (cable) => cable.cut('refusing')],
  ['its connections break, and it is back at once', (cable) => (cable.cut('refusing'), cable.restore())],
];

describe('a database that becomes unavailable while a job runs', () => {
  it.each(CUTS)(
    '%s: the job is marked as done when it is back, and the next of its queue begins',
    async (_what, cut) => {
      const done: number[] = [];
      const name = `test.${randomUUID()}`;
      const job = defineJob<Platform, { turn: number }>({
        name,
        input: z.object({ turn: z.number() }),
        run: async (_app, _tenant, { turn }) => {
          done.push(turn);
          if (turn === 1) cut(cable);
        },
      });
      const ask = (turn: number) =>
        inTenant(service.app, team.tenant, ({ tx, tenant }) =>
          enqueueUnique(tx, { tenant, job: name, input: { turn }, one: name }),
        );
      const queue = await startQueue(service.app, pools.ownerPool, [job]);
      stops.push(queue.stop);
      await ask(1);
      await vi.waitUntil(() => done.length === 1, 50_000);
      await sleep(300);
      cable.restore();
      await vi.waitUntil(async () => (await waiting(name)) === 0, 50_000);
      await ask(2);
      await vi.waitUntil(async () => done.length === 2 && (await waiting(name)) === 0, 50_000);
      expect(done).toEqual([1, 2]);
    },
  );
});

async function waiting(one: string): Promise<number> {
  const { rows } = await service.ownerPool.query(
    'select count(*)::int as n from graphile_worker.jobs where key = $1 or locked_by is not null',
    [one],
  );
  return rows[0].n;
}
