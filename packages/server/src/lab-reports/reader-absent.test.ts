import { Writable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { encryptedPdf, reportPdf, uploadReport, waitUntilRead } from '../../test/report-upload.ts';
import { openTestService, type TestService, type TestTeam } from '../../test/service.ts';
import { startReportReaders } from './read-report.ts';

/** A report starts several processes, at a lower priority than everything else. */
const PATIENCE_MS = 120_000;
const PACKAGE = /aliquot-report-reader/;

let service: TestService;
let team: TestTeam;
let logged = '';
beforeAll(async () => {
  const log = new Writable({
    write: (chunk, _encoding, done) => {
      logged += String(chunk);
      done();
    },
  });
  service = await openTestService({}, log, { hasReportReader: false });
  team = await service.team();
});
afterAll(() => service.close());

const upload = async (bytes: Buffer | string) =>
  uploadReport(service, team, { files: [{ bytes }], fields: { user_id: await team.user() } });

describe('without the package of the report reader', { timeout: PATIENCE_MS }, () => {
  it('says at the start of a worker which package to install', () => {
    const warnings = logged.split('\n').filter((line) => PACKAGE.test(line));
    expect(warnings).toEqual([expect.stringContaining('"level":"warn"')]);
  });

  it('keeps an uploaded report, which is read once a worker has the reader', async () => {
    const { status, json } = await upload(await reportPdf());
    expect({ status, json }).toMatchObject({ status: 200, json: { status: 'upload_pending', data: null } });
    const readers = startReportReaders({ ...service.app, hasReportReader: true });
    try {
      const job = await waitUntilRead(team, json.id);
      expect(job).toMatchObject({ status: 'completed' });
      expect(job.data.results.map((line: { test_name: string }) => line.test_name)).toContain('Glucose');
    } finally {
      await readers.stop();
    }
  });

  it('answers 503 for the picture of a page, and names the package', async () => {
    const { json } = await upload(await reportPdf());
    const answer = await team.get(`/lab_report/v1/parser/job/${json.id}/pages/1.png`);
    expect(answer).toMatchObject({ status: 503, json: { detail: expect.stringMatching(PACKAGE) } });
  });

  it('still refuses what is no report by its first bytes', async () => {
    const { status, json } = await upload('Glucose 112 mg/dL');
    expect({ status, json }).toMatchObject({
      status: 400,
      json: { detail: expect.stringContaining('Unsupported file type') },
    });
  });

  it('fails a job whose file cannot be opened, once it is read', async () => {
    const { status, json } = await upload(await encryptedPdf());
    expect(status).toBe(200);
    const readers = startReportReaders({ ...service.app, hasReportReader: true });
    try {
      const job = await waitUntilRead(team, json.id);
      expect(job).toMatchObject({ status: 'failed', failure_reason: 'invalid_input' });
    } finally {
      await readers.stop();
    }
  });

  it('counts the pages of a PDF when it is read', async () => {
    const { json } = await upload(await reportPdf(undefined, 3));
    const path = `/lab_report/v1/parser/job/${json.id}/pages`;
    expect((await team.get(`${path}/3`)).status).toBe(404);
    const readers = startReportReaders({ ...service.app, hasReportReader: true });
    try {
      await waitUntilRead(team, json.id);
      expect(await team.get(`${path}/3`)).toMatchObject({ status: 200, json: { page: 3, pages: 3 } });
    } finally {
      await readers.stop();
    }
  });
});
