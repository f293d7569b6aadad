import { createCanvas } from '@napi-rs/canvas';
import PDFDocument from 'pdfkit';
import type { ApiResponse, TestService, TestTeam } from './service.ts';

/** An uploaded file: its bytes and its declared media type. */
export interface ReportFile {
  readonly bytes: Buffer | string;
  readonly type?: string;
}

/** Uploads files as multipart/form-data, as a client does. */
export async function uploadReport(
  service: TestService,
  team: Pick<TestTeam, 'key'>,
  {
    files,
    fields,
    headers = {},
  }: { files: readonly ReportFile[]; fields: Record<string, string>; headers?: Record<string, string> },
): Promise<ApiResponse> {
  const form = new FormData();
  for (const { bytes, type = 'application/pdf' } of files)
    form.append('file', new Blob([bytes], { type }), 'report');
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  const encoded = new Response(form);
  const answer = await service.http.server.inject({
    method: 'POST',
    url: '/lab_report/v1/parser/job',
    headers: {
      'x-service-api-key': team.key,
      'content-type': encoded.headers.get('content-type') ?? '',
      ...headers,
    },
    payload: Buffer.from(await encoded.arrayBuffer()),
  });
  return {
    status: answer.statusCode,
    headers: answer.headers,
    text: answer.body,
    json: answer.body === '' ? undefined : JSON.parse(answer.body),
  };
}

const ROWS = [
  ['Glucose', '112', 'H', 'mg/dL', '70 - 99'],
  ['Sodium', '140', '', 'mmol/L', '135 - 145'],
  ['Potassium', '4.1', '', 'mmol/L', '3.5 - 5.1'],
];
const COLUMNS = [50, 220, 300, 380, 480];

/** A small lab report as a PDF with a text layer; pages after the first are empty. */
export const reportPdf = (lines: readonly (readonly string[])[] = ROWS, pages = 1): Promise<Buffer> =>
  pdfOf({}, (paper) => {
    paper.fontSize(10).text('Acme Laboratory', 50, 40);
    paper.text('Patient: Jane Doe', 50, 60).text('DOB: 02/03/1980', 300, 60).text('Sex: Female', 300, 75);
    const row = (y: number, cells: readonly string[]) =>
      cells.forEach((cell, index) => paper.text(cell, COLUMNS[index] ?? 0, y, { lineBreak: false }));
    row(100, ['Test', 'Result', 'Flag', 'Units', 'Reference Range']);
    lines.forEach((cells, index) => row(120 + 15 * index, cells));
    for (let page = 1; page < pages; page += 1) paper.addPage();
  });

/** A report with one line whose flag contradicts its value. */
export const inconsistentPdf = (): Promise<Buffer> =>
  reportPdf([...ROWS.slice(1), ['Glucose', '112', 'L', 'mg/dL', '70 - 99']]);

export const pagesPdf = (pages: number): Promise<Buffer> =>
  pdfOf({}, (paper) => {
    for (let page = 1; page < pages; page += 1) paper.addPage();
  });

export const encryptedPdf = (): Promise<Buffer> =>
  pdfOf({ userPassword: 'secret', pdfVersion: '1.7' }, (paper) => paper.text('Glucose 112 mg/dL'));

function pdfOf(
  options: PDFKit.PDFDocumentOptions,
  draw: (paper: PDFKit.PDFDocument) => unknown,
): Promise<Buffer> {
  const paper = new PDFDocument({ ...options, info: { CreationDate: new Date(0) } });
  const pieces: Buffer[] = [];
  paper.on('data', (piece: Buffer) => pieces.push(piece));
  draw(paper);
  return new Promise((resolve) => {
    paper.on('end', () => resolve(Buffer.concat(pieces)));
    paper.end();
  });
}

/** An image without text. */
export function imageWithoutText(type: 'image/png' | 'image/jpeg', side = 60): Buffer {
  const canvas = createCanvas(side, side);
  const context = canvas.getContext('2d');
  context.fillStyle = 'teal';
  context.fillRect(5, 5, side / 2, side / 2);
  return type === 'image/png' ? canvas.toBuffer('image/png') : canvas.toBuffer('image/jpeg');
}

const UNFINISHED_STATUSES = new Set(['upload_pending', 'started']);
/** At least a minute, because the reader process competes with other tests. */
const POLLS_MAX = 3000;

/** Waits until the job is finished or failed; returns it. */
export async function waitUntilRead(team: TestTeam, id: string): Promise<ApiResponse['json']> {
  for (let round = 0; round < POLLS_MAX; round += 1) {
    const { json } = await team.get(`/lab_report/v1/parser/job/${id}`);
    if (!UNFINISHED_STATUSES.has(json.status)) return json;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error('The parsing job did not finish in time');
}

/** Creates a parsing job that waits for human review; returns its id. */
export async function createJobInReview(service: TestService, team: TestTeam): Promise<string> {
  const settings = { sandbox: { lab_report_review_enabled: true } };
  const path = `/v1/org/${team.orgId}/team/${team.tenant.teamId}`;
  const set = await team.management.patch(path, settings);
  if (set.status !== 200) throw new Error(set.text);
  const fields = { user_id: await team.user(), needs_human_review: 'true' };
  const { json } = await uploadReport(service, team, { files: [{ bytes: await reportPdf() }], fields });
  const job = await waitUntilRead(team, json.id);
  if (job.status !== 'pending_review') throw new Error(`No review: ${JSON.stringify(job)}`);
  return job.id;
}
