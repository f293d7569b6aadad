/**
 * How long a text report takes as a job, from the moment a worker has taken it until it is completed, in one running
 * service: `npx tsx bench/lab-reports/job-time.ts [JOBS]`. The first job has no process that waits for it.
 */
import { randomBytes } from 'node:crypto';
import type pg from 'pg';
import { startEmbeddedPostgres } from '../../src/platform/embedded-postgres/embedded-postgres.ts';
import { urlOf } from '../../test/embedded-url.ts';
import {
  buildService,
  freePort,
  startProcess,
  type ServiceProcess,
} from '../../test/faults/service-process.ts';
import { makeCase } from '../../test/lab-reports/reports.ts';
import { withCleanup, type CleanupTasks } from '../../tools/stage/cleanup.ts';
import { openClient } from '../../tools/stage/database.ts';
import { openFolder } from '../folder.ts';
import { send, target } from '../load.ts';
import { median } from '../result.ts';

const KEY = `sk_us_${randomBytes(16).toString('hex')}`;
const LAYOUT = 'usHospital';
const JOBS = Number(process.argv[2] ?? 12);
/** As jobs come that do not come at once. */
const BETWEEN_MS = 2500;
const LOOK_EVERY_MS = 2;
const PATIENCE_MS = 30_000;

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
interface JobStage {
  readonly service: ServiceProcess;
  readonly client: pg.Client;
}

async function openStage(cleanups: CleanupTasks): Promise<JobStage> {
  const folder = await openFolder('reports', cleanups, 'full');
  const bundle = await buildService();
  cleanups.push(bundle.release);
  const postgres = await startEmbeddedPostgres({ dataDir: folder, log: () => {} });
  cleanups.push(() => postgres.stop());
  const service = await startProcess(bundle.serve, {
    NODE_ENV: 'production',
    ROLE: 'all',
    LOG_LEVEL: 'warn',
    PORT: String(await freePort()),
    DATA_DIR: folder,
    DATABASE_URL: urlOf(postgres.connection),
    BOOTSTRAP_TEAM_API_KEY: KEY,
  });
  cleanups.push(() => service.stop());
  return { service, client: await openClient(postgres.connection, cleanups) };
}

await withCleanup(openStage, async ({ service, client }) => {
  const door = target(service.url, { 'x-service-api-key': KEY });
  const user = await send(door, { method: 'POST', path: '/v2/user', body: '{"client_user_id":"bench"}' });
  const userId = String(JSON.parse(user).user_id);
  const times: number[] = [];
  for (let job = 0; job < JOBS; job += 1) {
    const { pdf } = await makeCase(LAYOUT, job + 1);
    const ms = await timeOf(client, await handIn(service.url, userId, pdf));
    console.log(`job ${job + 1} of ${JOBS}: ${ms.toFixed(0)} ms`);
    times.push(ms);
    await pause(BETWEEN_MS);
  }
  const [first = 0, ...rest] = times;
  console.log(`first ${first.toFixed(0)} ms; the others: median ${median(rest).toFixed(0)} ms`);
});

async function handIn(url: string, userId: string, pdf: Uint8Array): Promise<string> {
  const form = new FormData();
  form.append('user_id', userId);
  form.append('file', new Blob([Buffer.from(pdf)], { type: 'application/pdf' }), 'report.pdf');
  const headers = { 'x-service-api-key': KEY };
  const answer = await fetch(`${url}/lab_report/v1/parser/job`, { method: 'POST', headers, body: form });
  const said = await answer.text();
  if (!answer.ok) throw new Error(said);
  return String(JSON.parse(said).id);
}

async function timeOf(client: pg.Client, id: string): Promise<number> {
  const deadline = performance.now() + PATIENCE_MS;
  let taken: number | undefined;
  while (performance.now() < deadline) {
    const { rows } = await client.query<{ status: string; leased: boolean }>(
      'select status, lease_id is not null as leased from lab_report_job where id = $1',
      [id],
    );
    const [{ status, leased } = { status: '', leased: false }] = rows;
    if (leased || status === 'started') taken ??= performance.now();
    if (status === 'completed' || status === 'pending_review')
      return performance.now() - (taken ?? performance.now());
    if (status === 'failed') throw new Error('The report was not read');
    await pause(LOOK_EVERY_MS);
  }
  throw new Error('The report was not read in time');
}
