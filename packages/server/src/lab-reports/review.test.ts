import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  inconsistentPdf,
  uploadReport,
  imageWithoutText,
  reportPdf,
  waitUntilRead,
} from '../../test/report-upload.ts';
import { openTestService, type TestService, type TestTeam } from '../../test/service.ts';

let service: TestService;
let team: TestTeam;
beforeAll(async () => {
  service = await openTestService();
  team = await service.team();
  await team.management.patch(`/v1/org/${team.orgId}/team/${team.tenant.teamId}`, {
    sandbox: { lab_report_review_enabled: true },
  });
});
afterAll(() => service.close());

/** A test starts several processes in sequence, at a lower priority than everything else. */
const PATIENCE_MS = 60_000;
const pathOf = (id: string) => `/lab_report/v1/parser/job/${id}`;

/** Uploads a report, waits until it is read, and returns its job. */
async function read(bytes: Buffer, fields: Record<string, string> = {}) {
  const { json } = await uploadReport(service, team, {
    files: [{ bytes }],
    fields: { user_id: await team.user(), ...fields },
  });
  return waitUntilRead(team, json.id);
}

const MATCH = {
  loinc_code: '2339-0',
  loinc_name: 'Glucose [Mass/volume] in Blood',
  display_name: 'Glucose',
  aliases: [],
  confidence_score: 1,
};
// prettier-ignore
const RENAMED = [
  // corrected                                              status          matches kept
  [{ test_name: 'Glucagon' },                               null,           false],
  [{ test_name: 'Glucagon', loinc_match_status: 'no_match' }, 'no_match',   false],
  [{ test_name: 'GLUCOSE' },                                'auto_match',   true],
  [{ value: '92' },                                         'auto_match',   true],
  [{ units: 'mg/dl' },                                      'auto_match',   true],
  [{ units: 'mmol/L' },                                     'needs_review', true],
  [{ sample_type: 'urine' },                                'needs_review', true],
  [{ value: 'Negative' },                                   'needs_review', true],
] as const;

describe('the list of what waits for a review', { timeout: PATIENCE_MS }, () => {
  it('is oldest first, a page at a time, without what is reviewed, and without what was read', async () => {
    team = await service.team();
    await team.management.patch(`/v1/org/${team.orgId}/team/${team.tenant.teamId}`, {
      sandbox: { lab_report_review_enabled: true },
    });
    const list = (query = '') => team.get(`/lab_report/v1/parser/job${query}`);
    const ids: string[] = [];
    for (let n = 0; n < 3; n += 1)
      ids.push((await read(await reportPdf(), { needs_human_review: 'true' })).id);
    const first = (await list('?limit=2')).json;
    expect(first.data.map(({ id }: { id: string }) => id)).toEqual(ids.slice(0, 2));
    expect(Object.keys(first.data[0])).not.toContain('data');
    const second = (await list(`?limit=2&next_cursor=${first.next_cursor}`)).json;
    expect(second).toMatchObject({ data: [{ id: ids[2], pages: 1 }], next_cursor: null });
    await team.post(`${pathOf(ids[0] ?? '')}/review`, {});
    expect((await list()).json.data.map(({ id }: { id: string }) => id)).toEqual(ids.slice(1));
    expect((await list('?next_cursor=perhaps')).status).toBe(422);
    const stranger = await service.team();
    expect((await stranger.get('/lab_report/v1/parser/job')).json.data).toEqual([]);
  });
});

describe('a report with human review', { timeout: PATIENCE_MS }, () => {
  it('waits in pending_review, is corrected line by line, and records the changes and the reviewer', async () => {
    const job = await read(await reportPdf(), { needs_human_review: 'true' });
    expect(job).toMatchObject({ status: 'pending_review', needs_human_review: true, is_reviewed: false });
    expect(job.data.results).toHaveLength(3);
    const answer = await team.post(`${pathOf(job.id)}/review`, {
      reviewer: 'nurse-7',
      metadata: { dob: '1980-03-02' },
      corrections: [
        { line: 0, set: { value: '92' } },
        { line: 1, remove: true },
        { add: { test_name: 'Chloride', value: '101', units: 'mmol/L', max_reference_range: 98 } },
      ],
    });
    expect(answer.status).toBe(200);
    expect(answer.json).toMatchObject({ status: 'completed', is_reviewed: true });
    expect(answer.json.data.metadata).toMatchObject({ dob: '1980-03-02', patient_first_name: 'Jane' });
    expect(answer.json.data.results).toMatchObject([
      { test_name: 'Glucose', value: '92', is_above_max_range: false, interpretation: 'normal' },
      { test_name: 'Potassium', value: '4.1' },
      { test_name: 'Chloride', value: '101', is_above_max_range: true, interpretation: 'abnormal' },
    ]);
    const { json: review } = await team.get(`${pathOf(job.id)}/review`);
    expect(review).toMatchObject({ reviewer: 'nurse-7', key_id: expect.any(String) });
    expect(review.changes).toContainEqual({ where: 'results.0.value', before: '112', after: '92' });
    const wheres = review.changes.map((one: { where: string }) => one.where);
    expect(wheres.filter((where: string) => !where.startsWith('results.0.'))).toEqual([
      'metadata.dob',
      'results.1',
      'results.3',
    ]);
    expect(await team.get(pathOf(job.id))).toMatchObject({ json: answer.json });
  });

  // prettier-ignore
  const corrected = [
    // corrected                                              type       above  below  interpretation
    [{ value: '<60' },                                        'numeric', false, true,  'abnormal'],
    [{ value: '>300' },                                       'numeric', true,  false, 'abnormal'],
    [{ value: '1,112', max_reference_range: 1500 },           'numeric', false, false, 'normal'],
    [{ value: '80-90' },                                      'range',   false, false, 'normal'],
    [{ value: 'Negative' },                                   'boolean', null,  null,  'unknown'],
    [{ value: 'Hemolyzed', interpretation: 'critical' },      'comment', null,  null,  'critical'],
    [{ max_reference_range: null, min_reference_range: null }, 'numeric', null, null,  'unknown'],
    [{ value: '112', is_above_max_range: null },              'numeric', null,  false, 'abnormal'],
  ] as const;
  const NAMES = ['Glucose', 'Sodium', 'Chloride', 'Calcium', 'Magnesium', 'Creatinine', 'Albumin', 'Iron'];
  it('derives type, comparison and interpretation from the corrected values', async () => {
    const lines = NAMES.map((name) => [name, '112', 'H', 'mg/dL', '70 - 99']);
    const job = await read(await reportPdf(lines), { needs_human_review: 'true' });
    const before = { value: '112', type: 'numeric', is_above_max_range: true, interpretation: 'abnormal' };
    expect(job.data.results).toMatchObject(corrected.map(() => before));
    const answer = await team.post(`${pathOf(job.id)}/review`, {
      corrections: corrected.map(([set], line) => ({ line, set })),
    });
    expect(answer.json.data.results).toMatchObject(
      corrected.map(([, type, above, below, interpretation]) => ({
        type,
        is_above_max_range: above,
        is_below_min_range: below,
        interpretation,
      })),
    );
  });

  it('drops or doubts LOINC codes when the name, unit or sample changes', async () => {
    const lines = RENAMED.map(() => ['Glucose', '112', 'H', 'mg/dL', '70 - 99']);
    const job = await read(await reportPdf(lines), { needs_human_review: 'true' });
    const [{ loinc_matches: matches }] = job.data.results;
    expect(job.data.results).toMatchObject(RENAMED.map(() => ({ loinc_match_status: 'auto_match' })));
    const answer = await team.post(`${pathOf(job.id)}/review`, {
      corrections: RENAMED.map(([set], line) => ({ line, set })),
    });
    expect(answer.json.data.results).toMatchObject(
      RENAMED.map(([, loinc_match_status, areKept]) => ({
        loinc_match_status,
        loinc_matches: areKept ? matches : null,
      })),
    );
  });

  it('keeps the code that the reviewer chose', async () => {
    const job = await read(await reportPdf(), { needs_human_review: 'true' });
    const answer = await team.post(`${pathOf(job.id)}/review`, {
      corrections: [{ line: 0, set: { test_name: 'Glucose in blood', loinc_matches: [MATCH] } }],
    });
    expect(answer.json.data.results[0]).toMatchObject({
      loinc_matches: [MATCH],
      loinc_match_status: 'auto_match',
    });
  });

  // prettier-ignore
  const bounded = [
    // printed    corrected                                      above  below
    ['< 200',     { value: '200' },                              true,  null],
    ['<= 200',    { value: '200' },                              false, null],
    ['> 60',      { value: '60' },                               null,  true],
    ['>= 60',     { value: '60' },                               null,  false],
    ['70 - 99',   { value: '99' },                               false, false],
    // The number was misread, but not the comparator.
    ['< 200',     { value: '20', max_reference_range: 20 },      true,  null],
    // A bound that the reviewer adds is inclusive.
    ['> 60',      { value: '90', max_reference_range: 90 },      false, false],
  ] as const;
  it('compares a corrected value with the printed range, including exclusive bounds', async () => {
    const lines = bounded.map(([range], index) => [NAMES[index] ?? '', '77', '', 'mg/dL', range]);
    const job = await read(await reportPdf(lines), { needs_human_review: 'true' });
    const answer = await team.post(`${pathOf(job.id)}/review`, {
      corrections: bounded.map(([, set], line) => ({ line, set })),
    });
    expect(answer.json.data.results).toMatchObject(
      bounded.map(([, , above, below]) => ({ is_above_max_range: above, is_below_min_range: below })),
    );
  });

  it('accepts one of two concurrent reviews', async () => {
    const job = await read(await reportPdf(), { needs_human_review: 'true' });
    const both = await Promise.all([1, 2].map(() => team.post(`${pathOf(job.id)}/review`, {})));
    expect(both.map(({ status }) => status).toSorted()).toEqual([200, 409]);
  });

  it('waits for review automatically when it is doubtful, unless the team has review turned off', async () => {
    const job = await read(await inconsistentPdf());
    expect(job).toMatchObject({ status: 'pending_review', needs_human_review: false });
    const doubts = job.data.results.flatMap((one: { review_reasons: string[] }) => one.review_reasons);
    expect(doubts).not.toEqual([]);
    const plain = await service.team();
    const files = [{ bytes: await inconsistentPdf() }];
    const { json } = await uploadReport(service, plain, { files, fields: { user_id: await plain.user() } });
    expect((await waitUntilRead(plain, json.id)).status).toBe('completed');
  });

  // prettier-ignore
  const mistakes: [string, object, string][] = [
    ['a line that is not there',   { corrections: [{ line: 3, set: { value: '1' } }] },                                      'body.corrections.0.line'],
    ['a line twice',               { corrections: [{ line: 0, remove: true }, { line: 0, set: { value: '1' } }] },            'body.corrections.1.line'],
    ['a new line without a value', { corrections: [{ add: { test_name: 'Chloride' } }] },                                     'body.corrections.0.add.value'],
    ['corrections misnamed',       { correction: [{ line: 0, set: { value: '1' } }], reviewer: 'nurse-7' },                   'body.correction'],
    ['metadata misnamed',          { metadata: { birth: '1980-03-02' } },                                                     'body.metadata'],
    ['a field of a line misnamed', { corrections: [{ line: 0, set: { val: '1' } }] },                                        'body.corrections.0.set'],
    ['a gender of its own',        { metadata: { gender: 'none' } },                                                          'body.metadata.gender'],
  ];
  it('rejects an invalid review and stays in pending_review', async () => {
    const job = await read(await reportPdf(), { needs_human_review: 'true' });
    for (const [what, body, place] of mistakes) {
      const answer = await team.post(`${pathOf(job.id)}/review`, body);
      const places = answer.json.detail.map((fault: { loc: unknown[] }) => fault.loc.join('.'));
      expect([what, answer.status, places]).toEqual([what, 422, [place]]);
    }
    expect((await team.get(pathOf(job.id))).json).toMatchObject({ status: 'pending_review', data: job.data });
  });

  it('cannot be reviewed in another status', async () => {
    const { json } = await uploadReport(service, team, {
      files: [{ bytes: imageWithoutText('image/png'), type: 'image/png' }],
      fields: { user_id: await team.user() },
    });
    const failed = await waitUntilRead(team, json.id);
    expect(failed).toMatchObject({ status: 'failed', failure_reason: 'invalid_input', data: null });
    expect((await team.post(`${pathOf(json.id)}/review`, {})).status).toBe(409);
    expect((await team.get(`${pathOf(json.id)}/review`)).status).toBe(404);
  });
});

describe('a page of a report', { timeout: PATIENCE_MS }, () => {
  it('has an image, and the position of every value', async () => {
    const job = await read(await reportPdf());
    const { json: page } = await team.get(`${pathOf(job.id)}/pages/1`);
    expect(page).toMatchObject({ page: 1, pages: 1, width: 612, height: 792 });
    expect(page.lines.map((one: { line: number }) => one.line)).toEqual([0, 1, 2]);
    const { value, name } = page.lines[0].boxes;
    expect(value.x0).toBeGreaterThan(215);
    expect(value.x1).toBeLessThan(245);
    expect(value.y0).toBeGreaterThan(110);
    expect(value.y1).toBeLessThan(135);
    expect(name.x1).toBeLessThan(value.x0);
    const image = await service.http.server.inject({
      url: `${pathOf(job.id)}/pages/1.png`,
      headers: { 'x-service-api-key': team.key },
    });
    expect([image.statusCode, image.headers['content-type']]).toEqual([200, 'image/png']);
    expect(image.rawPayload.readUInt32BE(16) / image.rawPayload.readUInt32BE(20)).toBeCloseTo(612 / 792, 2);
    for (const missing of ['2', '2.png']) {
      expect((await team.get(`${pathOf(job.id)}/pages/${missing}`)).status).toBe(404);
    }
  });
});
