import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { deflateSync } from 'node:zlib';
import { createCanvas } from '@napi-rs/canvas';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { uploadReport, reportPdf, waitUntilRead } from '../../test/report-upload.ts';
import { openTestService, type TestService, type TestTeam } from '../../test/service.ts';
import { killProcess, listReaderProcesses, waitForReaders } from '../../test/reader-processes.ts';
import { failStorage, expectRetryPauses } from '../../test/storage-outage.ts';
import { MINUTE, SECOND } from '../platform/clock.ts';
import { asSystem } from '../platform/db/transact.ts';
import { newId, newRandomId } from '../platform/ids.ts';
import { openReportReaders, readNextReport } from './read-report.ts';
import { claimNext } from './store.ts';

/** A test starts several processes in sequence, at a lower priority than everything else. */
const PATIENCE_MS = 120_000;
/** Unique to this test service, so that its processes can be identified. */
const MEMORY_MB = 600;

let service: TestService;
let team: TestTeam;
let report: Buffer;
beforeAll(async () => {
  service = await openTestService({ LAB_REPORT_MEMORY_MB: String(MEMORY_MB), LAB_REPORT_QUEUE: '5' });
  team = await service.team();
  report = await reportPdf();
});
afterAll(() => service.close());

const started = async (bytes: Buffer = report, type = 'application/pdf'): Promise<string> => {
  const answer = await uploadReport(service, team, {
    files: [{ bytes, type }],
    fields: { user_id: await team.user() },
  });
  expect(answer.status).toBe(200);
  return answer.json.id;
};

/** The spare reader process; there is one after the first report of this test service. */
async function waitingReader(): Promise<number> {
  if ((await listReaderProcesses(MEMORY_MB)).length === 0) await waitUntilRead(team, await started());
  const [waiting] = await waitForReaders(MEMORY_MB, ({ length }) => length === 1);
  if (waiting === undefined) throw new Error('There is no spare reader process');
  return waiting;
}

/** Moves the clock and wakes the readers at once. */
function pass(milliseconds: number): void {
  service.clock.move(milliseconds);
  service.app.notifier.notify('reports');
}

describe('reading a report', { timeout: PATIENCE_MS }, () => {
  it('reads an image by OCR', async () => {
    const job = await waitUntilRead(team, await started(photographed(), 'image/png'));
    expect(job.status).toBe('completed');
    expect(job.data.results).toMatchObject([
      {
        test_name: 'Glucose',
        value: '112',
        units: 'mg/dL',
        max_reference_range: 99,
        interpretation: 'abnormal',
      },
      { test_name: 'Sodium', value: '140', units: 'mmol/L', interpretation: 'normal' },
    ]);
    expect(job.data.results[0].loinc_matches[0]).toMatchObject({ loinc_code: '2345-7' });
  });

  it.runIf(process.platform === 'linux')(
    'is read ten seconds after the system killed its process',
    async () => {
      // Stop the spare process, so that it cannot finish before it is killed.
      process.kill(await waitingReader(), 'SIGSTOP');
      const id = await started();
      const isReleased = async (): Promise<boolean> => {
        const { rows } = await service.ownerPool.query(
          'select tries = 1 and lease_id is null as released from lab_report_job where id = $1',
          [id],
        );
        return rows[0].released;
      };
      while (!(await isReleased()))
        for (const reader of await listReaderProcesses(MEMORY_MB)) killProcess(reader);
      const readers = openReportReaders(service.app);
      const { signal } = new AbortController();
      service.clock.move(10 * SECOND - 1);
      expect(await readNextReport(service.app, { readers, signal }).finally(readers.stop)).toBe(false);
      pass(1);
      expect((await waitUntilRead(team, id)).status).toBe('completed');
    },
  );

  it('is continued by another node when its node is lost, and fails after too many tries', async () => {
    const id = await started();
    await waitUntilRead(team, id);
    const leave = (tries: number) =>
      service.ownerPool.query(
        `update lab_report_job set status = 'started', data = null, lease_id = gen_random_uuid(), tries = $2,
          leased_until = $3 where id = $1`,
        [id, tries, new Date(service.clock.now().getTime() + MINUTE)],
      );
    await leave(1);
    service.clock.move(MINUTE - 1);
    const readers = openReportReaders(service.app);
    const { signal } = new AbortController();
    expect(await readNextReport(service.app, { readers, signal }).finally(readers.stop)).toBe(false);
    pass(1);
    expect((await waitUntilRead(team, id)).status).toBe('completed');
    await leave(8);
    pass(MINUTE);
    expect(await waitUntilRead(team, id)).toMatchObject({
      status: 'failed',
      failure_reason: 'processing_error',
    });
  });

  it('backs off while the storage is unavailable, and fails after three hours', async () => {
    const readers = openReportReaders(service.app);
    const { signal } = new AbortController();
    const next = () => readNextReport(service.app, { readers, signal });
    const comeBack = failStorage(service);
    try {
      const id = await started();
      await expectRetryPauses(service, {
        row: { table: 'lab_report_job', id },
        readNext: next,
        pausesSeconds: [10, 30, 90, 270, 810, 2430, 7290],
      });
      // The eighth try is the last; the next lease marks the job as failed.
      await next().catch(() => true);
      await next();
      expect(await waitUntilRead(team, id)).toMatchObject({
        status: 'failed',
        failure_reason: 'processing_error',
      });
    } finally {
      comeBack();
      await readers.stop();
    }
  });

  it('fails when the file is missing or exceeds the limits, while the service stays responsive', async () => {
    const bomb = await started(heavy());
    expect((await service.http.server.inject('/healthz')).statusCode).toBe(200);
    const next = await started();
    expect(await waitUntilRead(team, bomb)).toMatchObject({
      status: 'failed',
      failure_reason: 'processing_error',
    });
    expect((await waitUntilRead(team, next)).status).toBe('completed');
    await rm(join(service.app.config.DATA_DIR, 'files'), { recursive: true });
    await service.ownerPool.query(
      `update lab_report_job set status = 'started', leased_until = null where id = $1`,
      [next],
    );
    expect(await waitUntilRead(team, next)).toMatchObject({
      status: 'failed',
      failure_reason: 'processing_error',
    });
  });

  it('alternates between teams, and limits the queue of each team', async () => {
    const until = new Date(service.clock.now().getTime() + MINUTE);
    const [long, short] = [await service.team(), await service.team()];
    // Leased by another node for a minute, so that no reader of this test service takes one.
    const stand = async (one: TestTeam, user: string) => {
      const id = newId();
      await service.ownerPool.query(
        `insert into lab_report_job (team_id, environment, id, user_id, status, needs_human_review, pages,
          leased_until, created_at, updated_at) values ($1, 'sandbox', $2, $3, 'started', false, 1, $4, $4, $4)`,
        [one.tenant.teamId, id, user, until],
      );
      return id;
    };
    const user = await long.user();
    const line = [];
    for (let count = 0; count < 5; count += 1) line.push(await stand(long, user));
    const other = await stand(short, await short.user());
    const refused = await uploadReport(service, long, {
      files: [{ bytes: report }],
      fields: { user_id: user },
    });
    expect([refused.status, refused.headers['retry-after']]).toEqual([429, '60']);
    const now = new Date(until.getTime() + 1);
    const taken = [];
    for (let count = 0; count < 3; count += 1) {
      const later = new Date(now.getTime() + MINUTE);
      const taking = { now, until: later, leaseId: newRandomId(), unbelievable: new Date(8e15) };
      taken.push(await asSystem(service.app.db, (tx) => claimNext(tx, taking)));
    }
    expect(taken.map((lease) => lease?.id)).toEqual([line[0], other, line[1]]);
    // Otherwise the readers of this test service would lease them when another test moves the clock.
    await service.ownerPool.query('delete from lab_report_job where id = any($1)', [[...line, other]]);
  });
});

function photographed(): Buffer {
  const canvas = createCanvas(1240, 700);
  const context = canvas.getContext('2d');
  context.fillStyle = 'white';
  context.fillRect(0, 0, 1240, 700);
  context.fillStyle = 'black';
  context.font = '24px sans-serif';
  const rows = [
    ['Patient: Jane Doe', '', 'DOB: 02/03/1980'],
    ['Test', 'Result', 'Flag', 'Units', 'Reference Range'],
    ['Glucose', '112', 'H', 'mg/dL', '70 - 99'],
    ['Sodium', '140', '', 'mmol/L', '135 - 145'],
  ];
  const columns = [80, 420, 560, 700, 900];
  rows.forEach((row, at) =>
    row.forEach((cell, column) => context.fillText(cell, columns[column] ?? 0, 80 + 60 * at)),
  );
  return canvas.toBuffer('image/png');
}

/** A valid PDF whose page decompresses to a text of 80 MB. */
function heavy(): Buffer {
  const stream = deflateSync(`(${'a'.repeat(80 * 1024 * 1024)}`, { level: 1 });
  const head = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R >>',
  ].map((text, index) => `${index + 1} 0 obj\n${text}\nendobj\n`);
  return Buffer.concat([
    Buffer.from(
      `%PDF-1.4\n${head.join('')}4 0 obj\n<< /Length ${stream.length} /Filter /FlateDecode >>\nstream\n`,
    ),
    stream,
    Buffer.from('\nendstream\nendobj\ntrailer\n<< /Root 1 0 R /Size 5 >>\n%%EOF\n'),
  ]);
}
