import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbeddedPostgres } from '../../src/platform/embedded-postgres/embedded-postgres.ts';
import { urlOf } from '../../test/embedded-url.ts';
import { freePort, startProcess } from '../../test/faults/service-process.ts';
import { Credentials } from '../../test/faults/stage.ts';
import { fire, target, type Shot, type Target } from '../load.ts';
import { ratioOf, type Result } from '../result.ts';

/** Knowing who asks takes at most a tenth of a request that does nothing else. */
const GOAL = 0.9;
const ROUNDS = 9;
const ROUND_MS = 2000;
const WARM_UP_MS = 3000;

/** A GET that answers from memory, with the gate of the service in front of it and without. */
export async function auth(): Promise<Result> {
  const folder = await mkdtemp(join(tmpdir(), 'aliquot-bench-auth-'));
  const leave: (() => Promise<unknown>)[] = [() => rm(folder, { recursive: true, force: true })];
  try {
    const postgres = await startEmbeddedPostgres({ dataDir: folder, log: () => {} });
    leave.push(() => postgres.stop());
    const env = { DATA_DIR: folder, DATABASE_URL: urlOf(postgres.connection), DATABASE_POOL: '10' };
    const start = async (more: Record<string, string>): Promise<string> => {
      const args = ['--import', 'tsx', 'bench/auth/server.ts'];
      const port = { PORT: String(await freePort()), NODE_ENV: 'production' };
      const running = await startProcess(args, { ...env, ...port, ...more });
      leave.push(() => running.stop());
      return running.url;
    };
    const gated = await start({});
    const file = await readFile(join(folder, 'credentials.json'), 'utf8');
    const { team_id: teamId, team_api_key: key } = Credentials.parse(JSON.parse(file));
    const headers = { 'x-service-api-key': key };
    const open = await start({ OPEN_TO_TEAM: teamId });
    const shot: Shot = { method: 'GET', path: `/v2/team/${teamId}/physicians` };
    return await measure({ ours: target(gated, headers), bare: target(open, headers) }, () => shot);
  } finally {
    for (const each of leave.toReversed()) await each();
  }
}

async function measure(sides: { ours: Target; bare: Target }, shoot: () => Shot): Promise<Result> {
  await fire(sides.ours, shoot, WARM_UP_MS);
  await fire(sides.bare, shoot, WARM_UP_MS);
  const [ours, bare]: [number[], number[]] = [[], []];
  for (let round = 0; round < ROUNDS; round += 1) {
    const first = round % 2 === 0;
    if (first) ours.push(await fire(sides.ours, shoot, ROUND_MS));
    bare.push(await fire(sides.bare, shoot, ROUND_MS));
    if (!first) ours.push(await fire(sides.ours, shoot, ROUND_MS));
  }
  return ratioOf('auth', { ours, bare, goal: GOAL });
}
