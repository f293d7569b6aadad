import { execFile } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { z } from 'zod';
import { generateCase } from '../../../report-reader/test/reports.ts';
import { withCleanup, type CleanupTasks } from '../../../../tools/stage/cleanup.ts';
import { whyNoMachine } from './machine-stage.ts';
import { openMemoryStrikes, whyNoMemory } from './memory-strikes.ts';
import { killRepeatedly, type ReportProgress } from './scenes.ts';
import { withFaultStage, type FaultStage } from './stage.ts';
import type { StandaloneResult, StandaloneScene } from './standalone-scene.ts';

const run = promisify(execFile);

const CLIENTS = 2;
/** Slower than they are read, so that the queue does not grow. */
const PAUSE_MS = 500;
const HOLD_MS = 800;
const ACKNOWLEDGED_BETWEEN_KILLS = 2;
const UPLOAD_TIMEOUT_MS = 30_000;
const SETTLE_TIMEOUT_MS = 600_000;
const POLL_INTERVAL_MS = 500;
const LAYOUT = 'usHospital';

/** Patients upload lab reports while the processes that read them are killed, as the system does when memory is short. */
const readerScene: StandaloneScene = {
  name: 'readers',
  title: 'processes that read lab reports killed -9, as when memory runs out',
  run: (advance) => withFaultStage((stage) => play(stage, killReaders, advance)),
};

/** The same while the folder of the stored files cannot be written. */
const readOnlyScene: StandaloneScene = {
  name: 'read-only',
  title: 'the file system of stored files read-only',
  lacks: whyNoMachine,
  run: (advance) =>
    withFaultStage((stage) => play(stage, protectFiles, advance), { prepareFolder: mountFiles }),
};

/** The same while there is no memory for the processes that read them. */
const memoryScene: StandaloneScene = {
  name: 'memory',
  title: 'no memory for the processes that read lab reports',
  lacks: whyNoMemory,
  run: (advance) =>
    withFaultStage((stage) =>
      withCleanup(
        (cleanups) => openMemoryStrikes(stage, cleanups),
        async ({ strike, describe }) => {
          const result = await play(stage, strike, advance);
          return { ...result, told: `${result.told}; ${describe()}` };
        },
      ),
    ),
};

export const reportScenes: readonly StandaloneScene[] = [readerScene, readOnlyScene, memoryScene];

/** Ends when none is running, too: a later kill finds one. */
async function killReaders(stage: FaultStage): Promise<void> {
  await run('pkill', ['-KILL', '--parent', String(stage.service().pid), 'node']).catch(() => undefined);
}

async function mountFiles(folder: string, cleanups: CleanupTasks): Promise<void> {
  const files = join(folder, 'files');
  await mkdir(files);
  await run('mount', ['-t', 'tmpfs', '-o', 'size=300m,mode=700', 'aliquot-files', files]);
  cleanups.push(async () => void (await run('umount', ['--lazy', files])));
}

async function protectFiles({ folder }: FaultStage): Promise<void> {
  const files = join(folder, 'files');
  // Refused while a file is open for writing.
  while (!(await remount(files, 'ro'))) await sleep(5);
  await sleep(HOLD_MS);
  await remount(files, 'rw');
}

const remount = (folder: string, mode: 'ro' | 'rw'): Promise<boolean> =>
  run('mount', ['-o', `remount,${mode}`, folder]).then(
    () => true,
    () => false,
  );

async function play(
  stage: FaultStage,
  strike: (stage: FaultStage) => Promise<void>,
  advance: ReportProgress,
): Promise<StandaloneResult> {
  const uploads = await startUploads(stage);
  const struck = await killRepeatedly(stage, {
    count: () => uploads.acknowledged.size,
    inFlight: uploads.inFlight,
    kill: () => strike(stage),
    advance,
    acknowledgedBetweenKills: ACKNOWLEDGED_BETWEEN_KILLS,
  }).finally(uploads.stop);
  const jobs = await waitForJobs(stage);
  const count = (status: string) => [...jobs.values()].filter((one) => one === status).length;
  return {
    ...struck,
    answers: uploads.answers,
    acknowledged: uploads.acknowledged.size,
    told: `${uploads.acknowledged.size} reports: ${count('completed')} completed, ${count('pending_review')} in review`,
    lost: [
      ...[...uploads.acknowledged]
        .filter((id) => !READ.has(jobs.get(id) ?? ''))
        .map((id) => `lost: report ${id} is ${jobs.get(id) ?? 'not there'}`),
      // The file is good: a client would give up.
      ...[...uploads.answers.keys()]
        .filter((name) => name.startsWith('400'))
        .map((name) => `lost: an upload was refused: ${name}`),
    ],
    doubled: [],
  };
}

const READ: ReadonlySet<string> = new Set(['completed', 'pending_review']);

interface Uploads {
  readonly acknowledged: ReadonlySet<string>;
  readonly answers: ReadonlyMap<string, number>;
  readonly inFlight: () => number;
  readonly stop: () => Promise<void>;
}

const Created = z.object({ id: z.uuid() });
const User = z.object({ user_id: z.uuid() });

async function startUploads(stage: FaultStage): Promise<Uploads> {
  const { pdf } = await generateCase(LAYOUT, 1);
  const acknowledged = new Set<string>();
  const answers = new Map<string, number>();
  let underWay = 0;
  let stopping = false;
  const headers = { 'x-service-api-key': stage.teamKey };
  const made = await fetch(`${stage.url}/v2/user`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({ client_user_id: 'reports' }),
  });
  const { user_id } = User.parse(await made.json());
  const upload = async () => {
    const form = new FormData();
    form.append('user_id', user_id);
    form.append('file', new Blob([Buffer.from(pdf)], { type: 'application/pdf' }), 'report.pdf');
    underWay += 1;
    const answer = await fetch(`${stage.url}/lab_report/v1/parser/job`, {
      method: 'POST',
      headers,
      body: form,
      signal: AbortSignal.timeout(UPLOAD_TIMEOUT_MS),
    })
      .then(async (response) => ({ status: response.status, text: await response.text() }))
      .catch(() => undefined)
      .finally(() => (underWay -= 1));
    const status = String(answer?.status ?? 'none');
    const name = status === '400' ? `400 ${answer?.text}` : status;
    answers.set(name, (answers.get(name) ?? 0) + 1);
    if (answer?.status === 200) acknowledged.add(Created.parse(JSON.parse(answer.text)).id);
  };
  const work = async () => {
    while (!stopping) {
      await upload();
      await sleep(PAUSE_MS);
    }
  };
  const working = Promise.all(Array.from({ length: CLIENTS }, work));
  working.catch(() => {});
  return {
    acknowledged,
    answers,
    inFlight: () => underWay,
    stop: async () => {
      stopping = true;
      await working;
    },
  };
}

/** The status of every job by its id, once none waits or is being read. */
async function waitForJobs(stage: FaultStage): Promise<ReadonlyMap<string, string>> {
  const until = performance.now() + SETTLE_TIMEOUT_MS;
  for (;;) {
    await endBackoffs(stage);
    const jobs = await readJobs(stage);
    const open = [...jobs.values()].filter((status) => status === 'upload_pending' || status === 'started');
    if (open.length === 0 || performance.now() > until) return jobs;
    await sleep(POLL_INTERVAL_MS);
  }
}

/** Reports that are to be read again later are due now: struck several times, they would wait for an hour. */
const endBackoffs = (stage: FaultStage): Promise<unknown> =>
  stage.onDatabase((client) =>
    client.query(
      'update lab_report_job set leased_until = now() where lease_id is null and leased_until > now()',
    ),
  );

const readJobs = (stage: FaultStage): Promise<ReadonlyMap<string, string>> =>
  stage.onDatabase(async (client) => {
    const { rows } = await client.query<{ id: string; status: string }>(
      'select id, status from lab_report_job',
    );
    return new Map(rows.map(({ id, status }) => [id, status]));
  });
