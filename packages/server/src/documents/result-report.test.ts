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
import { loadPdfLibraries } from '../platform/pdf/libraries.ts';
import { COLOR, type DrawingMark } from '../platform/pdf/marks.ts';
import { measureText } from '../platform/pdf/measure.ts';
import { formatDay, formatUnit } from './format.ts';
import { LOINC_NOTICE } from './loinc-notice.ts';
import type { EarlierValue, ReportedRow, ReportFacts } from './report-rows.ts';
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
  laboratory: { name: 'Labcorp', clia: null, director: null, address: '' },
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
  enclosed: [],
  ...change,
});
const drawn = async (change: Partial<ReportFacts>) =>
  Buffer.from(await renderPdf(() => layOutDocument(buildReport(facts(change)))));

const DAY_ONE = new Date('2024-03-02T15:00:00Z');
const earlierValue = (change: Partial<EarlierValue> = {}): EarlierValue => ({
  value: 92,
  isLimit: false,
  unit: 'mg/dL',
  result: '92',
  at: DAY_ONE,
  isRemarkable: false,
  ...change,
});
const figuresOf = async (bytes: Buffer) =>
  (await elementsOf(bytes)).flatMap(({ role, alt }) => (role === 'Figure' ? [alt ?? ''] : []));
const marksOf = (change: Partial<ReportFacts>) =>
  layOutDocument(buildReport(facts(change))).pages.flatMap((page) => page);
const bandOf = (marks: readonly DrawingMark[]) =>
  marks.find((mark) => mark.kind === 'box' && mark.fill === COLOR.band);
const dotsOf = (marks: readonly DrawingMark[]) => marks.filter((mark) => mark.kind === 'dot');

describe('earlier values', () => {
  it('are a chart over time with dates, unit and range, and alternative text', async () => {
    const user = await team.user();
    const values: string[] = [];
    const days: string[] = [];
    let result: ReportedRow | undefined;
    let id = '';
    for (const interpretation of ['normal', 'abnormal', 'normal']) {
      if (id !== '') service.clock.move(30 * DAY);
      days.push(formatDay(service.clock.now().toISOString()));
      id = await placed(user);
      await simulateOrder(team, id, 'completed', { interpretation });
      const results: ReportedRow[] = (await team.get(`/v3/order/${id}/result`)).json.results;
      const loinc =
        result?.loinc ?? results.find((each) => each.type === 'numeric' && each.loinc !== null)?.loinc;
      result = results.find((each) => each.loinc === loinc);
      values.push(result?.result ?? '');
    }
    const bytes = await fetchPdf(`/v3/order/${id}/result/pdf`);
    const [alt] = await figuresOf(bytes);
    const unit = formatUnit(result?.unit ?? '');
    const said = values.map((value, index) => `${value} ${unit} on ${days[index]}`);
    expect(alt).toBe(
      `${result?.name} over time: ${said.join('; ')}. reference range ${result?.reference_range}`,
    );
    const text = pdfText(bytes);
    expect(text).toContain('Results over time');
    expect(text).toContain(`${unit} · reference range ${result?.reference_range}`);
    expect(text).toContain(`${values[1]}, ${days[1]}`);
    expect((await fetchPdf(`/v3/order/${id}/result/pdf`)).equals(bytes)).toBe(true);
  });

  it('are absent the first time, and never of another person', async () => {
    const user = await team.user();
    const id = await placed(user);
    await simulateOrder(team, id, 'completed');
    const bytes = await fetchPdf(`/v3/order/${id}/result/pdf`);
    expect(pdfText(bytes)).not.toContain('Results over time');
    expect(await figuresOf(bytes)).toEqual([]);
  });

  it('come from at most eight orders', async () => {
    const user = await team.user();
    let id = '';
    for (let count = 0; count < 11; count += 1) {
      id = await placed(user);
      await simulateOrder(team, id, 'completed');
      service.clock.move(DAY);
    }
    const [alt] = await figuresOf(await fetchPdf(`/v3/order/${id}/result/pdf`));
    expect(alt?.split(';')).toHaveLength(9);
  });

  it('in another unit are named below the chart and not drawn', async () => {
    await loadPdfLibraries();
    const other = earlierValue({ unit: 'mmol/L', value: 4.7, result: '4.7' });
    const change = { earlier: new Map([['2345-7', [other]]]) };
    expect(dotsOf(marksOf(change))).toHaveLength(1);
    const text = pdfText(await drawn(change));
    expect(text).toContain('Not drawn, in another unit: 4.7 mmol/L on 03/02/2024');
    expect(text).not.toContain('Previous');
    const both = { earlier: new Map([['2345-7', [other, earlierValue()]]]) };
    expect(dotsOf(marksOf(both))).toHaveLength(2);
    expect(pdfText(await drawn(both))).toContain('92, 03/02/2024');
  });
});

describe('the chart of a result over time', () => {
  const years = [2021, 2022, 2023, 2024, 2025].map((year) => new Date(Date.UTC(year, 2, 2)));
  const many = years.map((at, index) =>
    earlierValue({ at, value: 80 + index * 8, result: String(80 + index * 8), isRemarkable: index > 2 }),
  );
  const over = (values: readonly EarlierValue[]) => ({ earlier: new Map([['2345-7', values]]) });

  it('is large enough to read: half the width of the page, with text of at least 7 points', async () => {
    await loadPdfLibraries();
    const marks = marksOf(over(many));
    const line = marks.find((mark) => mark.kind === 'polyline');
    expect(line?.points).toHaveLength(6);
    expect(line?.width).toBeGreaterThan(150);
    expect(bandOf(marks)).toMatchObject({ width: expect.closeTo(225, 0) });
    const sizes = marks.flatMap((mark) => (mark.kind === 'text' ? [mark.size] : []));
    expect(Math.min(...sizes)).toBeGreaterThanOrEqual(7);
  });

  it('has values at their distance in time, and higher values higher up', async () => {
    await loadPdfLibraries();
    const dots = dotsOf(marksOf(over([many[0], many[4]].flatMap((value) => value ?? []))));
    const centers = dots.map(({ x, y, width }) => [x + width / 2, y + width / 2] as const);
    const [[x0 = 0, y0 = 0] = [], [x1 = 0, y1 = 0] = [], [x2 = 0, y2 = 0] = []] = centers;
    // 2021 to 2025 to 2026.
    expect((x1 - x0) / (x2 - x0)).toBeCloseTo(4 / 5, 2);
    expect([y1 < y2, y2 < y0]).toEqual([true, true]);
  });

  it('labels values and dates without overlaps, of many points the newest value and the first and last date', async () => {
    await loadPdfLibraries();
    const crowd = Array.from({ length: 40 }, (_, index) =>
      earlierValue({
        at: new Date(DAY_ONE.getTime() + index * DAY),
        result: `${70 + index}.5`,
        value: 70 + index,
      }),
    );
    const marks = marksOf(over(crowd));
    expect(dotsOf(marks)).toHaveLength(41);
    const texts = marks.flatMap((mark) => (mark.kind === 'text' ? [mark] : []));
    const labels = texts.filter(({ text }) => /^\d+\.5$|^85$/.test(text) || /^\d\d\/\d\d\/\d\d$/.test(text));
    expect(labels.map(({ text }) => text)).toEqual(expect.arrayContaining(['03/02/24', '03/02/26', '85']));
    const boxes = labels.map((mark) => ({
      left: mark.x,
      right: mark.x + measureText(mark.text, mark),
      y: mark.y,
    }));
    const clashes = boxes.flatMap((box, index) =>
      boxes
        .slice(index + 1)
        .filter((each) => Math.abs(each.y - box.y) < 6 && each.left < box.right && box.left < each.right),
    );
    expect(clashes).toEqual([]);
  });

  it('shows a limit as a hollow point with its sign', async () => {
    const limit = earlierValue({ result: '<0.1', value: 0.1, isLimit: true });
    const marks = marksOf({
      results: [
        row({
          result: '<0.1',
          value: -1,
          type: 'range',
          reference_range: '<4.0',
          min_range_value: null,
          max_range_value: 4,
        }),
      ],
      ...over([limit]),
    });
    expect(dotsOf(marks).map(({ fill }) => fill)).toEqual(['#ffffff', '#ffffff']);
    expect(marks.filter((mark) => mark.kind === 'text' && mark.text === '<0.1')).toHaveLength(3);
  });

  it('has a band from the edge for one bound, and none without a reference range', async () => {
    await loadPdfLibraries();
    const open = { reference_range: '<100', min_range_value: null, max_range_value: 100 };
    expect(bandOf(marksOf({ results: [row(open)], ...over(many) }))).toBeDefined();
    const none = { reference_range: null, min_range_value: null, max_range_value: null };
    expect(bandOf(marksOf({ results: [row(none)], ...over(many) }))).toBeUndefined();
    expect(pdfText(await drawn({ results: [row(none)], ...over(many) }))).toContain('no reference range');
  });

  it('marks flagged values by weight as well as by color', async () => {
    await loadPdfLibraries();
    const texts = marksOf(over(many)).flatMap((mark) => (mark.kind === 'text' ? [mark] : []));
    const labelOf = (text: string) => texts.findLast((mark) => mark.text === text);
    expect(labelOf('112')).toMatchObject({ weight: 'bold', color: COLOR.alarm });
    expect(labelOf('80')).toMatchObject({ weight: 'regular', color: COLOR.ink });
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
