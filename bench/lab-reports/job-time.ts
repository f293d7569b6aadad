/**
 * How long a parsing job for a text report takes in a running service, from the time a worker claims it until it is
 * completed: `npx tsx bench/lab-reports/job-time.ts [JOBS]`. No reader process is ready for the first job yet.
 */
import { randomBytes } from 'node:crypto';
import type pg from 'pg';
import { startEmbeddedPostgres } from '../../packages/server/src/platform/embedded-postgres/embedded-postgres.ts';
import { databaseUrlOf } from '../../packages/server/test/database-url.ts';
import {
  buildService,
  freePort,
  startProcess,
  type ServiceProcess,
} from '../../packages/server/test/faults/service-process.ts';
import { generateCase } from '../../packages/report-reader/test/reports.ts';
import { withCleanup, type CleanupTasks } from '../../tools/stage/cleanup.ts';
import { openClient } from '../../tools/stage/database.ts';
import { openFolder } from '../folder.ts';
import { send, createTarget } from '../load.ts';
import { median } from '../result.ts';

const KEY = `sk_us_${randomBytes(16).toString('hex')}`;
const LAYOUT = 'usHospital';
const JOBS = Number(process.argv[2] ?? 12);
/** Between two jobs, so that they do not overlap. */
const BETWEEN_MS = 2500;
const POLL_INTERVAL_MS = 2;
const TIMEOUT_MS = 30_000;

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
    DATABASE_URL: databaseUrlOf(postgres.connection),
    BOOTSTRAP_TEAM_API_KEY: KEY,
  });
  cleanups.push(() => service.stop());
  return { service, client: await openClient(postgres.connection, cleanups) };
}

await withCleanup(openStage, async ({ service, client }) => {
  const door = createTarget(service.url, { 'x-service-api-key': KEY });
  const user = await send(door, { method: 'POST', path: '/v2/user', body: '{"client_user_id":"bench"}' });
  const userId = String(JSON.parse(user).user_id);
  const times: number[] = [];
  for (let job = 0; job < JOBS; job += 1) {
    const { pdf } = await generateCase(LAYOUT, job + 1);
    const ms = await measureJob(client, await uploadReport(service.url, userId, pdf));
    console.log(`job ${job + 1} of ${JOBS}: ${ms.toFixed(0)} ms`);
    times.push(ms);
    await pause(BETWEEN_MS);
  }
  const [first = 0, ...rest] = times;
  console.log(`first job ${first.toFixed(0)} ms; median of the others ${median(rest).toFixed(0)} ms`);
});

async function uploadReport(url: string, userId: string, pdf: Uint8Array): Promise<string> {
  const form = new FormData();
  form.append('user_id', userId);
  form.append('file', new Blob([Buffer.from(pdf)], { type: 'application/pdf' }), 'report.pdf');
  const headers = { 'x-service-api-key': KEY };
  const answer = await fetch(`${url}/lab_report/v1/parser/job`, { method: 'POST', headers, body: form });
  const said = await answer.text();
  if (!answer.ok) throw new Error(said);
  return String(JSON.parse(said).id);
}

async function measureJob(client: pg.Client, id: string): Promise<number> {
  const deadline = performance.now() + TIMEOUT_MS;
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
    if (status === 'failed') throw new Error('The parsing job failed');
    await pause(POLL_INTERVAL_MS);
  }
  throw new Error(`The parsing job did not finish within ${TIMEOUT_MS} ms`);
}
