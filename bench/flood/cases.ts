import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { startEmbeddedPostgres } from '../../packages/server/src/platform/embedded-postgres/embedded-postgres.ts';
import { databaseUrlOf } from '../../packages/server/test/database-url.ts';
import { order } from '../../packages/server/test/examples.ts';
import { buildService, freePort, startProcess } from '../../packages/server/test/faults/service-process.ts';
import { Credentials } from '../../packages/server/test/faults/stage.ts';
import { defineCase, defineStage, type BenchGroup, type BenchSize } from '../../tools/bench/bench-case.ts';
import type { Called, Calling } from '../../tools/load/calling.ts';
import { BARE_SERVER, runCallers } from '../../tools/load/start-caller.ts';
import type { CleanupTasks } from '../../tools/stage/cleanup.ts';
import { openFolder } from '../folder.ts';
import { createTarget, UNREACHED_LIMITS, send } from '../load.ts';
import { alternate, median, ratioOf, type RoundTimes } from '../result.ts';

const AT_ONCE = 64;
const PAUSE_MS = 5;

/** The service with two teams, and a handler that does nothing in another process. */
interface FloodStage {
  readonly url: string;
  readonly bareUrl: string;
  readonly floodHeaders: Record<string, string>;
  readonly otherHeaders: Record<string, string>;
  /** What the flooding team reads. */
  readonly paths: string[];
}

const floodStage = defineStage<FloodStage>({
  name: 'flood',
  expectedSeconds: { full: 20, quick: 12 },
  open: openStage,
});

async function openStage(cleanups: CleanupTasks, size: BenchSize): Promise<FloodStage> {
  const folder = await openFolder('flood', cleanups, size);
  const postgres = await startEmbeddedPostgres({ dataDir: folder, log: () => {} });
  cleanups.push(() => postgres.stop());
  const bundle = await buildService();
  cleanups.push(bundle.release);
  const start = async (args: readonly string[], env: Record<string, string>): Promise<string> => {
    const running = await startProcess(args, {
      ...env,
      PORT: String(await freePort()),
      NODE_ENV: 'production',
    });
    cleanups.push(() => running.stop());
    return running.url;
  };
  const url = await start(bundle.serve, {
    ...UNREACHED_LIMITS,
    ROLE: 'api',
    LOG_LEVEL: 'warn',
    DATA_DIR: folder,
    DATABASE_URL: databaseUrlOf(postgres.connection),
    DATABASE_POOL: '10',
  });
  const file = await readFile(join(folder, 'credentials.json'), 'utf8');
  const credentials = Credentials.parse(JSON.parse(file));
  const floodHeaders = { 'x-service-api-key': credentials.team_api_key };
  const otherHeaders = { 'x-service-api-key': await createOtherTeam(url, credentials) };
  const paths = await fill(url, floodHeaders);
  await fill(url, otherHeaders);
  return { url, bareUrl: await start(BARE_SERVER, {}), floodHeaders, otherHeaders, paths };
}

const Created = z.object({ id: z.string() });
const CreatedKey = z.object({ value: z.string() });

/** Returns the key of a second team of the organization. */
async function createOtherTeam(url: string, credentials: z.output<typeof Credentials>): Promise<string> {
  const target = createTarget(url, { 'x-management-key': credentials.management_key });
  const org = `/v1/org/${credentials.org_id}`;
  const post = async (path: string, body: object): Promise<unknown> =>
    JSON.parse(await send(target, { method: 'POST', path, body: JSON.stringify(body) }));
  const team = Created.parse(await post(`${org}/team`, { name: 'Other', region: 'us' }));
  const key = { label: 'bench', team_id: team.id };
  const { value } = CreatedKey.parse(await post(`${org}/team_api_keys/sandbox/us`, key));
  await target.pool.close();
  return value;
}

/** Gives a team a user and an order; returns the paths that read them. */
async function fill(url: string, headers: Record<string, string>): Promise<string[]> {
  const target = createTarget(url, headers);
  const post = async (path: string, body: object) =>
    JSON.parse(await send(target, { method: 'POST', path, body: JSON.stringify(body) }));
  const user = await post('/v2/user', { client_user_id: 'bench' });
  const tests = await send(target, { method: 'GET', path: '/v3/lab_tests?collection_method=testkit' });
  const placed = await post('/v3/order', order(user.user_id, JSON.parse(tests)[0].id));
  await target.pool.close();
  return [`/v3/order/${placed.order.id}`, '/v3/orders', '/v2/user', '/v3/lab_tests'];
}

const FLOOD: BenchGroup = {
  heading: `A flood of one team, ${AT_ONCE} requests at once, and what another team gets meanwhile: sent to the service, and to a bare handler`,
  columns: ['under', 'next to'],
};

const perSecond = ({ times }: Called): number => 1000 / median(times);

/**
 * Answers a second, by the median, of another team that sends one request at a time, and the rate of the flood alone.
 * The flooding client needs a core wherever its requests go, hence the comparison with a bare handler.
 */
export const flood = defineCase<FloodStage, RoundTimes>({
  name: 'flood',
  group: FLOOD,
  goal: 0.5,
  stage: floodStage,
  sizes: {
    full: { rounds: 7, roundMs: 3000, warmUpMs: 3000 },
    quick: { rounds: 1, roundMs: 300, warmUpMs: 100 },
  },
  expectedSeconds: { full: 70, quick: 5 },
  run: async (stage, { parameters: { rounds, roundMs, warmUpMs }, goal, report, advance }) => {
    const rates: number[] = [];
    const flooding = (url: string, lastsMs: number): Calling => ({
      url,
      lastsMs,
      headers: [stage.floodHeaders],
      paths: stage.paths,
      connections: AT_ONCE,
      pauseMs: 0,
    });
    const watch = async (url: string, lastsMs: number): Promise<number> => {
      const other = { ...flooding(stage.url, lastsMs), headers: [stage.otherHeaders] };
      const watched = { ...other, paths: ['/v2/user?limit=10'], connections: 1, pauseMs: PAUSE_MS };
      const [seen, flooded] = await runCallers([watched, flooding(url, lastsMs)]);
      if (!seen || !flooded) throw new Error('A caller ended without an answer');
      const failed = Object.keys({ ...seen.statuses, ...flooded.statuses }).filter((one) => one !== '200');
      if (failed.length > 0) throw new Error(`Answers other than 200: ${failed.join(', ')}`);
      if (url === stage.url) rates.push((flooded.times.length * 1000) / lastsMs);
      return perSecond(seen);
    };
    await watch(stage.url, warmUpMs);
    rates.length = 0;
    const measured = await alternate({
      rounds,
      ours: () => watch(stage.url, roundMs),
      bare: () => watch(stage.bareUrl, roundMs),
      advance,
    });
    report(ratioOf('flood', { ...measured, goal }));
    report({ name: 'flood-rate', ours: Math.round(median(rates)), bare: null, ratio: null, goal: null });
  },
});
