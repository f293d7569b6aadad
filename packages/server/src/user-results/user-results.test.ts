import { beforeAll, describe, expect, it } from 'vitest';
import { order } from '../../test/examples.ts';
import { findLabTestId } from '../../test/orders.ts';
import { reportPdf, uploadReport, waitUntilRead } from '../../test/report-upload.ts';
import { useTestService } from '../../test/service-hooks.ts';
import type { TestTeam } from '../../test/service.ts';

/** Reports are read by processes of their own, at a low priority. */
const PATIENCE_MS = 240_000;
const service = useTestService();

interface Value {
  source: string;
  order_id: string | null;
  lab_report_job_id: string | null;
  state: string;
  name: string;
  loinc: string | null;
  value: number | null;
  result: string;
  unit: string | null;
  measured_at: string;
}

const GLUCOSE = '2345-7';
const rows = (value: string) => [
  ['Glucose', value, 'H', 'mg/dL', '70 - 99'],
  ['Sodium', '<140', '', 'mmol/L', '135 - 145'],
];

let team: TestTeam;
let userId: string;
let orderIds: string[] = [];
let confirmed: string;
let waiting: string;

async function addOrder(query = ''): Promise<string> {
  const labTest = await findLabTestId(team, 'testkit');
  const placed = await team.post('/v3/order', order(userId, labTest));
  expect(placed.status, placed.text).toBe(200);
  const { id } = placed.json.order;
  expect((await team.post(`/v3/order/${id}/test${query}`)).status).toBe(200);
  return id;
}

async function addReport(value: string, fields: Record<string, string> = {}): Promise<string> {
  const bytes = await reportPdf(rows(value));
  const { json } = await uploadReport(service, team, {
    files: [{ bytes }],
    fields: { user_id: userId, ...fields },
  });
  await waitUntilRead(team, json.id);
  return json.id;
}

beforeAll(async () => {
  team = await service.team();
  await team.management.patch(`/v1/org/${team.orgId}/team/${team.tenant.teamId}`, {
    sandbox: { lab_report_review_enabled: true },
  });
  userId = await team.user();
  orderIds = [await addOrder(), await addOrder('?final_status=corrected')];
  confirmed = await addReport('112');
  waiting = await addReport('140', { needs_human_review: 'true' });
}, PATIENCE_MS);

const list = async (query = '', of = team): Promise<{ data: Value[]; next_cursor: string | null }> => {
  const { status, json, text } = await of.get(`/v1/user/${userId}/results${query}`);
  expect(status, text).toBe(200);
  return json;
};

describe('the results of a user', () => {
  it('are the values of every order and lab report, those in review marked', async () => {
    const { data, next_cursor } = await list();
    expect(next_cursor).toBeNull();
    const sources = [...new Set(data.map(({ order_id: id, lab_report_job_id: job }) => id ?? job))];
    expect(sources.toSorted()).toEqual([...orderIds, confirmed, waiting].toSorted());
    // The newest version supersedes those before it.
    for (const id of orderIds) {
      const report = (await team.get(`/v3/order/${id}/result`)).json;
      const own = data.filter(({ order_id: of }) => of === id);
      expect(own.map(({ name, result, unit }) => [name, result, unit])).toEqual(
        report.results.map(({ name, result, unit }: Value) => [name, result, unit]),
      );
    }
    const uploaded = data.filter(({ source }) => source === 'lab_report');
    expect(uploaded).toMatchObject([
      { lab_report_job_id: waiting, state: 'in_review', name: 'Glucose', value: 140, unit: 'mg/dL' },
      { lab_report_job_id: waiting, state: 'in_review', name: 'Sodium', value: null, result: '<140' },
      { lab_report_job_id: confirmed, state: 'confirmed', name: 'Glucose', value: 112, loinc: GLUCOSE },
      { lab_report_job_id: confirmed, state: 'confirmed', name: 'Sodium', value: null, result: '<140' },
    ]);
  });

  it('are filtered by code and time', async () => {
    const all = (await list()).data;
    const { data } = await list(`?loinc=${GLUCOSE}`);
    expect(data).toEqual(all.filter(({ loinc }) => loinc === GLUCOSE));
    expect(data.length).toBeGreaterThan(1);
    const times = all.map(({ measured_at: at }) => at).toSorted();
    const last = times.at(-1) ?? '';
    const from = encodeURIComponent(last);
    expect((await list(`?from=${from}`)).data).toEqual(all.filter(({ measured_at: at }) => at === last));
    expect((await list(`?to=${from}`)).data).toEqual(all.filter(({ measured_at: at }) => at !== last));
  });

  it('are the same in pages of one source', async () => {
    const all = (await list()).data;
    const seen: Value[] = [];
    let cursor: string | null = null;
    let pages = 0;
    do {
      const page: { data: Value[]; next_cursor: string | null } = await list(
        `?limit=1${cursor === null ? '' : `&next_cursor=${cursor}`}`,
      );
      seen.push(...page.data);
      cursor = page.next_cursor;
      pages += 1;
    } while (cursor !== null);
    expect(pages).toBe(4);
    expect(seen).toEqual(all);
  });

  it('have a list of markers, one for each unit, with the newest value', async () => {
    const { json, status, text } = await team.get(`/v1/user/${userId}/results/markers`);
    expect(status, text).toBe(200);
    const all = (await list()).data;
    const glucose = json.data.filter(({ loinc, unit }: Value) => loinc === GLUCOSE && unit === 'mg/dL');
    expect(glucose).toHaveLength(1);
    const own = all.filter(({ loinc, unit }) => loinc === GLUCOSE && unit === 'mg/dL');
    expect(glucose[0].count).toBe(own.length);
    expect(json.is_complete).toBe(true);
    const counted = json.data.reduce((sum: number, { count }: { count: number }) => sum + count, 0);
    expect(counted).toBe(all.length);
  });

  it('are 404 for another team, and for no user', async () => {
    const other = await service.team();
    for (const path of ['results', 'results/markers', 'lab-reports'])
      expect((await other.get(`/v1/user/${userId}/${path}`)).status).toBe(404);
  });
});

describe('the lab reports of a user', () => {
  it('are listed newest first in every status, in pages, without what was read', async () => {
    const page = (await team.get(`/v1/user/${userId}/lab-reports?limit=1`)).json;
    expect(page.data).toMatchObject([
      { id: waiting, status: 'pending_review', is_reviewed: false, pages: 1 },
    ]);
    expect(Object.keys(page.data[0])).not.toContain('data');
    const next = (await team.get(`/v1/user/${userId}/lab-reports?next_cursor=${page.next_cursor}`)).json;
    expect(next).toMatchObject({ data: [{ id: confirmed, status: 'completed' }], next_cursor: null });
  });
});
