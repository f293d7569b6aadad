import { readFile } from 'node:fs/promises';
import { getDocument } from 'pdfjs-dist/legacy/build/pdf.mjs';
import { describe, expect, it } from 'vitest';
import { physician } from '../../test/examples.ts';
import { createOrder, simulateOrder } from '../../test/orders.ts';
import { useTestService, useTestTeam } from '../../test/service-hooks.ts';
import { readPdf, pdfText } from '../../test/pdf.ts';
import { DAY } from '../platform/clock.ts';
import { renderPdf } from '../platform/pdf/draw.ts';
import { layOutDocument } from '../platform/pdf/document.ts';
import { LOINC_NOTICE } from './loinc-notice.ts';
import type { ReportedRow, ReportFacts } from './report-rows.ts';
import { buildReport } from './result-report.ts';

const service = useTestService();
const team = useTestTeam(service);

async function fetchPdf(path: string): Promise<Buffer> {
  const answer = await service.http.server.inject({
    method: 'GET',
    url: path,
    headers: { 'x-service-api-key': team.key },
  });
  if (answer.statusCode !== 200) throw new Error(answer.body);
  return answer.rawPayload;
}

const placed = (userId: string, method = 'walk_in_test'): Promise<string> =>
  createOrder(team, method, { user_id: userId, physician });

interface PdfTagNode {
  readonly role?: string;
  readonly alt?: string;
  /** `content` is what stands on the page itself. */
  readonly type?: string;
  readonly children?: readonly PdfTagNode[];
}

/** The elements that another reader of PDFs finds, page by page. */
async function elementsOf(bytes: Buffer): Promise<PdfTagNode[]> {
  const document = await getDocument({ data: new Uint8Array(bytes), verbosity: 0 }).promise;
  const nodes: PdfTagNode[] = [];
  const gather = (node: PdfTagNode): void => {
    nodes.push(node);
    for (const child of node.children ?? []) gather(child);
  };
  for (let number = 1; number <= document.numPages; number += 1) {
    gather((await (await document.getPage(number)).getStructTree()) as PdfTagNode);
  }
  await document.destroy();
  return nodes;
}

const row = (result: Partial<ReportedRow>): ReportedRow => ({
  name: 'Glucose',
  slug: 'glucose',
  value: 85,
  result: '85',
  type: 'numeric',
  unit: 'mg/dL',
  timestamp: null,
  notes: null,
  reference_range: '70-99',
  min_range_value: 70,
  max_range_value: 99,
  is_above_max_range: false,
  is_below_min_range: false,
  interpretation: 'normal',
  source_interpretation: 'normal',
  loinc: '2345-7',
  loinc_slug: null,
  provider_id: null,
  source_markers: null,
  performing_laboratory: null,
  source_sample_id: 'S1',
  ...result,
});

const at = new Date('2026-03-02T15:00:00Z');
const facts = (change: Partial<ReportFacts>): ReportFacts => ({
  reference: 'Order 1',
  patient: null,
  laboratory: { name: 'Labcorp', clia: null, address: '' },
  physician: undefined,
  accountNumber: null,
  specimens: [{ id: 'S1', collectedAt: at, receivedAt: at, reportedAt: at }],
  status: 'final',
  version: 1,
  interpretation: 'normal',
  results: [row({})],
  missing: [],
  notes: [],
  earlier: new Map(),
  ...change,
});
const drawn = async (change: Partial<ReportFacts>) =>
  Buffer.from(await renderPdf(() => layOutDocument(buildReport(facts(change)))));

describe('earlier values', () => {
  it('are shown next to a result as bars, with alternative text', async () => {
    const user = await team.user();
    const values: string[] = [];
    const days: string[] = [];
    let loinc = '';
    let id = '';
    for (const interpretation of ['normal', 'abnormal', 'normal']) {
      if (id !== '') service.clock.move(30 * DAY);
      days.push(
        service.clock
          .now()
          .toISOString()
          .replace(/^(\d+)-(\d+)-(\d+).*/, '$2/$3/$1'),
      );
      id = await placed(user);
      await simulateOrder(team, id, 'completed', { interpretation });
      const { results } = (await team.get(`/v3/order/${id}/result`)).json;
      loinc ||= results.find((each: ReportedRow) => each.type === 'numeric' && each.loinc !== null).loinc;
      values.push(results.find((each: ReportedRow) => each.loinc === loinc).result);
    }
    const bytes = await fetchPdf(`/v3/order/${id}/result/pdf`);
    const [alt] = (await elementsOf(bytes)).flatMap(({ role, alt: said }) =>
      role === 'Figure' ? [said] : [],
    );
    expect(alt).toMatch(new RegExp(`^Earlier: .* on ${days[0]}; .* on ${days[1]}$`));
    for (const value of values.slice(0, 2)) expect(alt).toContain(value);
    expect(alt?.split(';')).toHaveLength(2);
    expect(pdfText(bytes)).toContain('Bars do not begin at zero');
    expect((await fetchPdf(`/v3/order/${id}/result/pdf`)).equals(bytes)).toBe(true);
  });

  it('are absent the first time, and never of another person', async () => {
    const user = await team.user();
    const id = await placed(user);
    await simulateOrder(team, id, 'completed');
    const bytes = await fetchPdf(`/v3/order/${id}/result/pdf`);
    expect(pdfText(bytes)).not.toContain('Trend');
    expect((await elementsOf(bytes)).some(({ role }) => role === 'Figure')).toBe(false);
  });

  it('come from at most eight orders', async () => {
    const user = await team.user();
    let id = '';
    for (let count = 0; count < 11; count += 1) {
      id = await placed(user);
      await simulateOrder(team, id, 'completed');
      service.clock.move(DAY);
    }
    const alts = (await elementsOf(await fetchPdf(`/v3/order/${id}/result/pdf`))).flatMap(
      ({ alt }) => alt ?? [],
    );
    expect(alts[0]?.split(';')).toHaveLength(8);
  });

  it('are not compared in another unit', async () => {
    const before = [{ value: 4.7, result: '4.7', at, isRemarkable: false }];
    const bytes = await drawn({ earlier: new Map([['2345-7 mmol/L', before]]) });
    expect(pdfText(bytes)).not.toContain('Trend');
    expect(pdfText(await drawn({ earlier: new Map([['2345-7 mg/dL', before]]) }))).toContain('Trend');
  });
});

describe('the tagged structure of a report (accessibility)', () => {
  it('has a title, a language, and tables in reading order', async () => {
    const bytes = await drawn({ results: [row({}), row({ name: 'Sodium' })], notes: ['Hemolyzed.'] });
    const document = await getDocument({ data: new Uint8Array(bytes), verbosity: 0 }).promise;
    const { info } = await document.getMetadata();
    expect(info).toMatchObject({ Title: 'Laboratory report S1', Language: 'en-US' });
    expect(await document.getMarkInfo()).toMatchObject({ Marked: true });
    const roles = (await elementsOf(bytes)).map(({ role }) => role);
    const count = (role: string) => roles.filter((each) => each === role).length;
    expect(count('H1')).toBe(1);
    expect([count('Table'), count('TR'), count('TH')]).toEqual([2, 5, 9]);
    expect(roles.indexOf('H1')).toBeLessThan(roles.indexOf('Table'));
    const text = (await (await document.getPage(1)).getTextContent()).items
      .map((item) => ('str' in item ? item.str : ''))
      .join(' ');
    const places = [
      'LABORATORY REPORT',
      'Patient',
      'Results',
      'Glucose',
      'Sodium',
      'Hemolyzed.',
      'End of the report',
    ];
    const found = places.map((place) => text.indexOf(place));
    expect(found.every((place) => place >= 0)).toBe(true);
    expect(found.toSorted((a, b) => a - b)).toEqual(found);
    await document.destroy();
  });

  it('has one table across pages, with its header once', async () => {
    const many = Array.from({ length: 90 }, (_, index) => row({ name: `Test ${index}` }));
    const bytes = await drawn({ results: many });
    const pages = readPdf(bytes);
    expect(pages.length).toBeGreaterThan(1);
    pages.forEach((page, index) => {
      expect(page.lines.at(-1)).toContain(`Page ${index + 1} of ${pages.length}`);
      expect(page.lines.join('\n')).toContain('Reference range');
    });
    const titles = (await elementsOf(bytes)).filter(
      ({ role, children }) => role === 'TH' && children?.some(({ type }) => type === 'content'),
    );
    expect(titles).toHaveLength(9);
  });
});

describe('the content of a report', () => {
  it('groups panels, and lists single tests separately', async () => {
    const of = (id: number, name: string) => ({
      source_markers: [{ marker_id: id, name, slug: name, provider_id: null }],
    });
    const text = pdfText(
      await drawn({
        results: [
          row({ name: 'One', ...of(1, 'Panel A') }),
          row({ name: 'Two', ...of(2, 'Panel B') }),
          row({ name: 'Three', ...of(1, 'Panel A') }),
          row({ name: 'Four', ...of(2, 'Panel B') }),
          row({ name: 'Five', ...of(3, 'Single') }),
        ],
      }),
    );
    const order_ = ['Panel A', 'One', 'Three', 'Panel B', 'Two', 'Four', 'Single tests', 'Five'];
    const places = order_.map((each) => text.indexOf(`\n${each}`));
    expect(places.toSorted((a, b) => a - b)).toEqual(places);
    expect(places.every((place) => place >= 0)).toBe(true);
  });

  it('ends with the LOINC notice', async () => {
    const notice = await readFile(new URL('../../data/catalog/LOINC-NOTICE.txt', import.meta.url), 'utf8');
    expect(notice.replace(/\s+/g, ' ').trim()).toBe(LOINC_NOTICE);
    expect(pdfText(await drawn({}))).toContain('This material contains content from LOINC');
    expect(pdfText(await drawn({ results: [row({ loinc: null })] }))).not.toContain('LOINC');
  });

  it('never ends with a page that has only the closing line', async () => {
    for (let count = 20; count < 60; count += 1) {
      const results = Array.from({ length: count }, (_, index) => row({ name: `Test ${index}` }));
      const last = layOutDocument(buildReport(facts({ results }))).pages.at(-1) ?? [];
      expect(last.some((mark) => mark.kind === 'text' && mark.text.startsWith('Flags:'))).toBe(true);
    }
  });

  it('of a transaction uses redrawn values, and names both specimens', async () => {
    const id = await placed(await team.user());
    await simulateOrder(team, id, 'redraw_available', { interpretation: 'abnormal' });
    const transaction = (await team.get(`/v3/order/${id}`)).json.order_transaction.id;
    const { orders } = (await team.get(`/v3/order_transaction/${transaction}`)).json;
    const redraw = orders.find(({ origin }: { origin: string }) => origin === 'redraw');
    const path = `/v3/order_transaction/${transaction}/result`;
    expect(pdfText(await fetchPdf(`${path}/pdf`))).toContain('PARTIAL');
    service.clock.move(DAY);
    await simulateOrder(team, redraw.id, 'completed');
    const whole = (await team.get(path)).json;
    const text = pdfText(await fetchPdf(`${path}/pdf`));
    for (const sample of Object.keys(whole.sample_information)) expect(text).toContain(sample);
    expect(Object.keys(whole.sample_information)).toHaveLength(2);
    expect(text).toContain('FINAL');
    expect(text).not.toContain('Ordered and not reported');
  });
});
