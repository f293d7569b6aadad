import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startEmbeddedPostgres } from '../../packages/server/src/platform/embedded-postgres/embedded-postgres.ts';
import { databaseUrlOf } from '../../packages/server/test/database-url.ts';
import { freePort, startProcess } from '../../packages/server/test/faults/service-process.ts';
import { Credentials } from '../../packages/server/test/faults/stage.ts';
import { defineCase, defineStage, type BenchSize } from '../../tools/bench/bench-case.ts';
import type { CleanupTasks } from '../../tools/stage/cleanup.ts';
import { REQUESTS } from '../cases.ts';
import { openFolder } from '../folder.ts';
import { runLoad, createTarget, UNREACHED_LIMITS, type BenchRequest, type BenchTarget } from '../load.ts';
import { alternate, ratioOf, type RoundTimes } from '../result.ts';

/** The service with and without authentication, and a request that both answer from memory. */
interface AuthStage {
  readonly ours: BenchTarget;
  readonly bare: BenchTarget;
  readonly shot: BenchRequest;
}

const authStage = defineStage<AuthStage>({
  name: 'auth',
  expectedSeconds: { full: 12, quick: 8 },
  open: openStage,
});

async function openStage(cleanups: CleanupTasks, size: BenchSize): Promise<AuthStage> {
  const folder = await openFolder('auth', cleanups, size);
  const postgres = await startEmbeddedPostgres({ dataDir: folder, log: () => {} });
  cleanups.push(() => postgres.stop());
  const database = { DATABASE_URL: databaseUrlOf(postgres.connection), DATABASE_POOL: '10' };
  const env = { ...UNREACHED_LIMITS, ...database, DATA_DIR: folder };
  const start = async (more: Record<string, string>): Promise<string> => {
    const args = ['--import', 'tsx', 'bench/auth/server.ts'];
    const port = { PORT: String(await freePort()), NODE_ENV: 'production' };
    const running = await startProcess(args, { ...env, ...port, ...more });
    cleanups.push(() => running.stop());
    return running.url;
  };
  const gated = await start({});
  const file = await readFile(join(folder, 'credentials.json'), 'utf8');
  const { team_id: teamId, team_api_key: key } = Credentials.parse(JSON.parse(file));
  const headers = { 'x-service-api-key': key };
  const open = await start({ OPEN_TO_TEAM: teamId });
  const shot: BenchRequest = { method: 'GET', path: `/v2/team/${teamId}/physicians` };
  return { ours: createTarget(gated, headers), bare: createTarget(open, headers), shot };
}

/** Authentication may take at most a tenth of the time of a request that does nothing else. */
export const auth = defineCase<AuthStage, RoundTimes>({
  name: 'auth',
  group: REQUESTS,
  goal: 0.9,
  stage: authStage,
  sizes: {
    full: { rounds: 9, roundMs: 2000, warmUpMs: 3000 },
    quick: { rounds: 1, roundMs: 300, warmUpMs: 100 },
  },
  expectedSeconds: { full: 42, quick: 1 },
  run: async ({ ours, bare, shot }, { parameters, goal, report, advance }) => {
    const { rounds, roundMs, warmUpMs } = parameters;
    const rate = (side: BenchTarget, forMs: number) => () => runLoad(side, () => shot, forMs);
    await rate(ours, warmUpMs)();
    await rate(bare, warmUpMs)();
    const measured = await alternate({
      rounds,
      ours: rate(ours, roundMs),
      bare: rate(bare, roundMs),
      advance,
    });
    report(ratioOf('auth', { ...measured, goal }));
  },
});
