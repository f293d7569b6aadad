import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { deflateSync } from 'node:zlib';
import { createCanvas } from '@napi-rs/canvas';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { handIn, reportPdf, whenRead } from '../../test/handed-in.ts';
import { openHouse, type House, type TeamInHand } from '../../test/house.ts';
import { end, readerProcesses, whenReaders } from '../../test/reader-processes.ts';
import { takeStorageAway, waitOut } from '../../test/storage-away.ts';
import { MINUTE } from '../platform/clock.ts';
import { asSystem } from '../platform/db/transact.ts';
import { newId, newRandomId } from '../platform/ids.ts';
import { openReportReaders, readNext } from './read-report.ts';
import { takeNext } from './store.ts';

/** A test starts several processes, one after the other, behind everything else that runs. */
const PATIENCE_MS = 120_000;
/** Of this house alone, so that its processes can be told from others. */
const MEMORY_MB = 600;

let house: House;
let team: TeamInHand;
let report: Buffer;
beforeAll(async () => {
  house = await openHouse({ LAB_REPORT_MEMORY_MB: String(MEMORY_MB), LAB_REPORT_QUEUE: '5' });
  team = await house.team();
  report = await reportPdf();
});
afterAll(() => house.close());

const started = async (bytes: Buffer = report, type = 'application/pdf'): Promise<string> => {
  const answer = await handIn(house, team, {
    files: [{ bytes, type }],
    fields: { user_id: await team.user() },
  });
  expect(answer.status).toBe(200);
  return answer.json.id;
};

/** The process that waits for a report; there is one since the first report of this house. */
async function waitingReader(): Promise<number> {
  if ((await readerProcesses(MEMORY_MB)).length === 0) await whenRead(team, await started());
  const [waiting] = await whenReaders(MEMORY_MB, ({ length }) => length === 1);
  if (waiting === undefined) throw new Error('No process waits');
  return waiting;
}

/** The readers look at once, and not a second later. */
function pass(milliseconds: number): void {
  house.clock.move(milliseconds);
  house.app.bell.ring('reports');
}

describe('the reading of a report', { timeout: PATIENCE_MS }, () => {
  it('reads a picture by what can be seen on it', async () => {
    const job = await whenRead(team, await started(photographed(), 'image/png'));
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
    'begins again when its process is killed in the middle',
    async () => {
      // The one that waits stands still, so that it cannot be done before it is killed.
      process.kill(await waitingReader(), 'SIGSTOP');
      const id = await started();
      const tries = async (): Promise<number> => {
        const { rows } = await house.owner.query('select tries from lab_report_job where id = $1', [id]);
        return Number(rows[0].tries);
      };
      // One that is killed before it was given the report does not count.
      while ((await tries()) < 2) for (const reader of await readerProcesses(MEMORY_MB)) end(reader);
      expect((await whenRead(team, id)).status).toBe('completed');
    },
  );

  it('is taken up by another node when its own is gone, and fails when that happens again and again', async () => {
    const id = await started();
    await whenRead(team, id);
    const leave = (tries: number) =>
      house.owner.query(
        `update lab_report_job set status = 'started', data = null, lease_id = gen_random_uuid(), tries = $2,
          leased_until = $3 where id = $1`,
        [id, tries, new Date(house.clock.now().getTime() + MINUTE)],
      );
    await leave(1);
    house.clock.move(MINUTE - 1);
    const readers = openReportReaders(house.app);
    const { signal } = new AbortController();
    expect(await readNext(house.app, { readers, signal }).finally(readers.stop)).toBe(false);
    pass(1);
    expect((await whenRead(team, id)).status).toBe('completed');
    await leave(8);
    pass(MINUTE);
    expect(await whenRead(team, id)).toMatchObject({ status: 'failed', failure_reason: 'processing_error' });
  });

  it('waits longer and longer for a storage that is away, and gives up after three hours', async () => {
    const readers = openReportReaders(house.app);
    const { signal } = new AbortController();
    const next = () => readNext(house.app, { readers, signal });
    const comeBack = takeStorageAway(house);
    try {
      const id = await started();
      await waitOut(house, {
        row: { table: 'lab_report_job', id },
        readNext: next,
        pausesSeconds: [10, 30, 90, 270, 810, 2430, 7290],
      });
      // The eighth try is the last; who takes it after that ends it.
      await next().catch(() => true);
      await next();
      expect(await whenRead(team, id)).toMatchObject({
        status: 'failed',
        failure_reason: 'processing_error',
      });
    } finally {
      comeBack();
      await readers.stop();
    }
  });

  it('fails when the file is gone, and when it exceeds its limits; and the service answers on', async () => {
    const bomb = await started(heavy());
    expect((await house.http.server.inject('/healthz')).statusCode).toBe(200);
    const next = await started();
    expect(await whenRead(team, bomb)).toMatchObject({
      status: 'failed',
      failure_reason: 'processing_error',
    });
    expect((await whenRead(team, next)).status).toBe('completed');
    await rm(join(house.app.config.DATA_DIR, 'files'), { recursive: true });
    await house.owner.query(
      `update lab_report_job set status = 'started', leased_until = null where id = $1`,
      [next],
    );
    expect(await whenRead(team, next)).toMatchObject({
      status: 'failed',
      failure_reason: 'processing_error',
    });
  });

  it('takes turns between teams, and lets no team’s line become too long', async () => {
    const until = new Date(house.clock.now().getTime() + MINUTE);
    const [long, short] = [await house.team(), await house.team()];
    // In the hands of somebody else for a minute, so that no reader of this house takes one.
    const stand = async (one: TeamInHand, user: string) => {
      const id = newId();
      await house.owner.query(
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
    const refused = await handIn(house, long, { files: [{ bytes: report }], fields: { user_id: user } });
    expect([refused.status, refused.headers['retry-after']]).toEqual([429, '60']);
    const now = new Date(until.getTime() + 1);
    const taken = [];
    for (let count = 0; count < 3; count += 1) {
      const later = new Date(now.getTime() + MINUTE);
      const taking = { now, until: later, leaseId: newRandomId(), unbelievable: new Date(8e15) };
      taken.push(await asSystem(house.app.db, (tx) => takeNext(tx, taking)));
    }
    expect(taken.map((lease) => lease?.id)).toEqual([line[0], other, line[1]]);
    // The readers of this house would take them when another test moves the clock.
    await house.owner.query('delete from lab_report_job where id = any($1)', [[...line, other]]);
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

/** A PDF that opens well, and whose page unpacks to a text of 80 MB. */
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
