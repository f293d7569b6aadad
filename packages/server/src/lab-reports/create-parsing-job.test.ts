import { readdir, readFile } from 'node:fs/promises';
import { request as httpRequest } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import {
  encryptedPdf,
  uploadReport,
  pagesPdf,
  imageWithoutText,
  reportPdf,
  waitUntilRead,
  type ReportFile,
} from '../../test/report-upload.ts';
import { openTestService, type TestService, type TestTeam } from '../../test/service.ts';
import { DAY, HOUR } from '../platform/clock.ts';
import { cleanFiles } from './files.ts';

let service: TestService;
let team: TestTeam;
let user: string;
let report: Buffer;
beforeAll(async () => {
  service = await openTestService();
  team = await service.team();
  user = await team.user();
  report = await reportPdf();
});
afterAll(() => service.close());

const files = async (): Promise<string[]> =>
  (
    await readdir(join(service.app.config.DATA_DIR, 'files'), { recursive: true, withFileTypes: true }).catch(
      () => [],
    )
  )
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted();

/** The number of file rows without a job. */
const strays = async (): Promise<number> =>
  (await service.ownerPool.query('select from lab_report_file where job_id is null')).rowCount ?? 0;

const until = (isSo: () => Promise<boolean>) => vi.waitUntil(isSo, { timeout: 50_000, interval: 10 });
/** A test starts several processes in sequence, at a lower priority than everything else. */
const PATIENCE_MS = 60_000;

const jpeg = (side?: number): ReportFile => ({
  bytes: imageWithoutText('image/jpeg', side),
  type: 'image/jpeg',
});
const png = (side?: number): ReportFile => ({
  bytes: imageWithoutText('image/png', side),
  type: 'image/png',
});

describe('an uploaded lab report', { timeout: PATIENCE_MS }, () => {
  it('is parsed and coded, and emits an event for every status change', async () => {
    const own = await service.team();
    const receiver = await own.endpoint({ filter_types: ['lab_report.*'] });
    const answer = await uploadReport(service, own, {
      files: [{ bytes: report }],
      fields: { user_id: await own.user() },
    });
    expect(answer.status).toBe(200);
    expect(answer.json).toMatchObject({
      status: 'upload_pending',
      data: null,
      failure_reason: null,
      is_reviewed: false,
    });
    expect(answer.json.job_id).toBe(answer.json.id);
    const job = await waitUntilRead(own, answer.json.id);
    expect(job.status).toBe('completed');
    expect(job.data.metadata).toMatchObject({
      patient_first_name: 'Jane',
      patient_last_name: 'Doe',
      gender: 'female',
    });
    const [glucose] = job.data.results;
    expect(job.data.results.map((one: { test_name: string }) => one.test_name)).toEqual([
      'Glucose',
      'Sodium',
      'Potassium',
    ]);
    expect(glucose).toMatchObject({
      value: '112',
      units: 'mg/dL',
      min_reference_range: 70,
      max_reference_range: 99,
      is_above_max_range: true,
      interpretation: 'abnormal',
      review_reasons: [],
    });
    await service.settle();
    const told = receiver.received.map(({ body }) => body);
    expect(told.map(({ event_type }) => event_type).toSorted()).toEqual([
      'lab_report.parsing_job.created',
      'lab_report.parsing_job.updated',
      'lab_report.parsing_job.updated',
    ]);
    const statuses = told.map(({ data }) => (data as { status: string }).status).toSorted();
    expect(statuses).toEqual(['completed', 'started', 'upload_pending']);
    expect(told.every((one) => one.user_id !== null && one.client_user_id !== null)).toBe(true);
  });

  it('is stored encrypted, and is deleted with its user', async () => {
    const own = await service.team();
    const id = await own.user();
    const before = await files();
    const { json } = await uploadReport(service, own, {
      files: [{ bytes: report }],
      fields: { user_id: id },
    });
    await waitUntilRead(own, json.id);
    const fresh = (await files()).filter((file) => !before.includes(file));
    expect(fresh).toHaveLength(1);
    const stored = await readFile(fresh[0] ?? '');
    expect(stored.includes('%PDF')).toBe(false);
    await own.delete(`/v2/user/${id}`);
    expect((await own.get(`/lab_report/v1/parser/job/${json.id}`)).status).toBe(404);
    service.clock.move(7 * DAY + HOUR);
    await service.settle();
    await cleanFiles(service.app);
    expect(await files()).not.toContain(fresh[0]);
    const left = await service.ownerPool.query('select from lab_report_file where team_id = $1', [
      own.tenant.teamId,
    ]);
    expect(left.rowCount).toBe(0);
  });

  it('is not visible to another team', async () => {
    const stranger = await service.team();
    const { json } = await uploadReport(service, team, {
      files: [{ bytes: report }],
      fields: { user_id: user },
    });
    for (const path of ['', '/review', '/pages/1', '/pages/1.png']) {
      expect((await stranger.get(`/lab_report/v1/parser/job/${json.id}${path}`)).status).toBe(404);
    }
    expect((await stranger.post(`/lab_report/v1/parser/job/${json.id}/review`, {})).status).toBe(404);
    const foreign = await uploadReport(service, stranger, {
      files: [{ bytes: report }],
      fields: { user_id: user },
    });
    expect(foreign.status).toBe(404);
  });

  it('creates one job per idempotency key, regardless of the names of the parts', async () => {
    const headers = { 'x-idempotency-key': 'once' };
    const send = (bytes: Buffer) =>
      uploadReport(service, team, { files: [{ bytes }], fields: { user_id: user }, headers });
    const first = await send(report);
    const kept = await files();
    const again = await send(report);
    expect(again.json.id).toBe(first.json.id);
    expect(again.headers['idempotency-replayed']).toBe('true');
    expect(await files()).toEqual(kept);
    expect((await send(Buffer.concat([report, Buffer.from('\n')]))).status).toBe(409);
  });
});

describe('an invalid upload', { timeout: PATIENCE_MS }, () => {
  const many = (file: ReportFile, count: number): ReportFile[] => Array.from({ length: count }, () => file);
  // prettier-ignore
  const refusals: [string, () => Promise<ReportFile[]> | ReportFile[], RegExp][] = [
    ['an empty file',                 () => [{ bytes: '' }],                                             /empty/],
    ['a text',                        () => [{ bytes: 'Glucose 112', type: 'text/plain' }],              /types/],
    ['a text that calls itself PDF',  () => [{ bytes: 'Glucose 112' }],                                  /types/],
    ['a PDF that calls itself PNG',   () => [{ bytes: report, type: 'image/png' }],                      /declared as image\/png/],
    ['a JPEG that calls itself PDF',  () => [{ ...jpeg(), type: 'application/pdf' }],                    /is image\/jpeg/],
    ['a PDF that is cut off',         () => [{ bytes: report.subarray(0, 300) }],                        /corrupt/],
    ['nothing but the head of a PDF', () => [{ bytes: '%PDF-1.7\nnonsense' }],                           /corrupt/],
    ['an encrypted PDF',              async () => [{ bytes: await encryptedPdf() }],                     /encrypted/],
    ['a PDF of 31 pages',             async () => [{ bytes: await pagesPdf(31) }],                       /31 pages/],
    ['two PDFs',                      () => many({ bytes: report }, 2),                                  /one PDF/],
    ['an image with a PDF',           () => [jpeg(), { bytes: report }],                                 /cannot be one/],
    ['nine images',                   () => many(png(), 9),                                              /at most 8/],
    ['seventeen files',               () => many(png(), 17),                                             /More than 16/],
    ['half a JPEG',                   () => [{ ...jpeg(), bytes: imageWithoutText('image/jpeg').subarray(0, 400) }], /not decode/],
    ['half a PNG',                    () => [{ ...png(), bytes: imageWithoutText('image/png', 400).subarray(0, 100) }], /not decode/],
    ['a PNG that claims to be huge',  () => [{ ...png(), bytes: hugePng() }],                            /not decode/],
  ];

  it.each(refusals)('is rejected: %s', async (_what, made, sentence) => {
    const answer = await uploadReport(service, team, { files: await made(), fields: { user_id: user } });
    expect([answer.status, answer.json.detail]).toEqual([400, expect.stringMatching(sentence)]);
  });

  it('leaves no file in storage', async () => {
    const before = await files();
    await uploadReport(service, team, { files: [{ bytes: 'Glucose 112' }], fields: { user_id: user } });
    await uploadReport(service, team, { files: [{ bytes: report }], fields: {} });
    expect(await files()).toEqual(before);
  });

  it('is accepted with 30 pages, with 8 images, and without a declared type', async () => {
    const unsaid: ReportFile = { bytes: report, type: 'application/octet-stream' };
    for (const good of [[{ bytes: await pagesPdf(30) }], many(jpeg(), 8), [unsaid]]) {
      expect((await uploadReport(service, team, { files: good, fields: { user_id: user } })).status).toBe(
        200,
      );
    }
  });

  it('is too large above 10 MB in total', async () => {
    const half = { bytes: Buffer.alloc(5 * 1024 * 1024 + 1) };
    const answer = await uploadReport(service, team, { files: [half, half], fields: { user_id: user } });
    expect(answer.status).toBe(413);
  });

  it('gets 413 over a real connection too, and an aborted upload leaves nothing in storage', async () => {
    const url = `${await service.http.server.listen({ port: 0, host: '127.0.0.1' })}/lab_report/v1/parser/job`;
    const form = new FormData();
    form.append('user_id', user);
    form.append('file', new Blob([Buffer.alloc(12 * 1024 * 1024)], { type: 'application/pdf' }), 'large.pdf');
    const headers = { 'x-service-api-key': team.key };
    const answer = await fetch(url, { method: 'POST', body: form, headers });
    expect([answer.status, await answer.json()]).toEqual([
      413,
      { detail: expect.stringContaining('10485760') },
    ]);
    service.clock.move(HOUR);
    await cleanFiles(service.app);
    const before = await files();
    expect(await strays()).toBe(0);
    const [type, head] = [
      'multipart/form-data; boundary=x',
      '--x\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n',
    ];
    const request = httpRequest(url, { method: 'POST', headers: { ...headers, 'content-type': type } });
    request.on('error', () => {});
    request.write(head + '%PDF-1.7 '.repeat(50_000));
    await until(async () => (await strays()) > 0);
    request.destroy();
    service.clock.move(HOUR);
    // The server may notice the abort a little later.
    await until(async () => {
      await cleanFiles(service.app);
      return (await strays()) === 0;
    });
    expect([await strays(), await files()]).toEqual([0, before]);
  });

  it('reports missing fields in the standard error format', async () => {
    const nothing = await uploadReport(service, team, {
      files: [],
      fields: { user_id: 'x', needs_human_review: 'maybe' },
    });
    expect(nothing.status).toBe(422);
    const places = nothing.json.detail.map((fault: { loc: string[] }) => fault.loc.join('.'));
    expect(places.toSorted()).toEqual(['body.file', 'body.needs_human_review', 'body.user_id']);
    expect((await team.post('/lab_report/v1/parser/job', { user_id: user })).status).toBe(415);
    const text = await service.http.server.inject({
      method: 'POST',
      url: '/lab_report/v1/parser/job',
      headers: { 'x-service-api-key': team.key, 'content-type': 'multipart/form-data; boundary=x' },
      payload: '--x\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\nabc',
    });
    expect(text.statusCode).toBe(400);
    expect(text.json()).toEqual({ detail: expect.any(String) });
  });

  it('needs an existing user, a team with the feature, and review turned on if review is requested', async () => {
    const nobody = { user_id: '01900000-0000-7000-8000-000000000000' };
    expect((await uploadReport(service, team, { files: [{ bytes: report }], fields: nobody })).status).toBe(
      404,
    );
    const review = { user_id: user, needs_human_review: 'true' };
    expect((await uploadReport(service, team, { files: [{ bytes: report }], fields: review })).status).toBe(
      400,
    );
    const plain = await service.team();
    const features = `/v1/org/${plain.orgId}/team/${plain.tenant.teamId}`;
    const change = await plain.management.patch(features, { sandbox: { features: [] } });
    const refused = await uploadReport(service, plain, {
      files: [{ bytes: report }],
      fields: { user_id: await plain.user() },
    });
    expect([change.status, refused.status]).toEqual([200, 403]);
    expect((await uploadReport(service, { key: 'sk_us_none' }, { files: [], fields: {} })).status).toBe(401);
  });
});

/** A PNG whose header claims 100 million pixels. */
function hugePng(): Buffer {
  const bytes = Buffer.from(imageWithoutText('image/png'));
  bytes.writeUInt32BE(10_000, 16);
  bytes.writeUInt32BE(10_000, 20);
  return bytes;
}
