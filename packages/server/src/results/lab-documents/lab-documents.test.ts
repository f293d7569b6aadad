import { getDocument } from 'pdfjs-dist/legacy/build/pdf.mjs';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { reportsOfMessage, receiveAll } from '../../../test/laboratory-message.ts';
import { placeOrder, type OrderWithTests } from '../../../test/received-reports.ts';
import { pdfText } from '../../../test/pdf.ts';
import { openTestService, type TestService, type TestTeam } from '../../../test/service.ts';

const PDF = Buffer.from('%PDF-1.4\nThe report of the laboratory\n%%EOF');

let service: TestService;
let team: TestTeam;
let ordered: OrderWithTests;
beforeAll(async () => {
  service = await openTestService();
});
afterAll(() => service.close());
beforeEach(async () => {
  team = await service.team();
  ordered = await placeOrder(service, team, { userId: await team.user(), markers: 2 });
});

const OBR = (status = 'F', of = '100^Panel^L') =>
  `OBR|1|PLACER|L1|${of}|||20260301080000|||||||||||||||20260302||LAB|${status}`;
const ED = (data: string, declared = '^application^pdf^Base64') =>
  `OBX|1|ED|PDF^Report of the laboratory^L||${declared}^${data}||||||F`;
const receive = (...segments: string[]) => receiveAll(service, team, reportsOfMessage(ordered, segments));
const path = () => `/v3/order/${ordered.order.id}/result`;
const download = (url: string, key = team.key) =>
  service.http.server.inject({ method: 'GET', url, headers: { 'x-service-api-key': key } });
const list = async () => (await team.get(`${path()}/documents`)).json.documents;

describe('the document of a laboratory', () => {
  it('is listed, downloaded byte for byte, and never shown by a browser', async () => {
    await receive(OBR(), ED(PDF.toString('base64')));
    const [document, ...others] = await list();
    expect(others).toEqual([]);
    expect(document).toMatchObject({
      title: 'Report of the laboratory',
      content_type: 'application/pdf',
      size_bytes: PDF.length,
      url: null,
    });
    const file = await download(`${path()}/documents/${document.id}`);
    expect(file.rawPayload.equals(PDF)).toBe(true);
    expect(file.headers).toMatchObject({
      'content-type': 'application/pdf',
      'content-disposition': `attachment; filename="document-${document.id}.pdf"`,
      'x-content-type-options': 'nosniff',
    });
  });

  it('alone completes the order, and no result is missing', async () => {
    await receive(OBR(), ED(PDF.toString('base64')));
    const order = (await team.get(`/v3/order/${ordered.order.id}`)).json;
    expect(order).toMatchObject({ status: 'completed', has_missing_results: false });
    const result = (await team.get(path())).json;
    expect(result).toMatchObject({ results: [], missing_results: [] });
    expect(JSON.stringify(result.sample_information)).toContain('Report of the laboratory');
  });

  it('does not excuse results that are missing beside it', async () => {
    const [test] = ordered.tests;
    const [expected] = test?.expected ?? [];
    const panel = `${test?.providerId}^${test?.name}^L`;
    const value = `OBX|2|NM|${expected?.providerId}^${expected?.name}^L||1|||||F`;
    await receive(OBR('F', panel), value, ED(PDF.toString('base64')));
    const result = (await team.get(path())).json;
    expect(result.results.length).toBe(1);
    expect(result.missing_results.length).toBeGreaterThan(0);
    expect(await list()).toMatchObject([{ content_type: 'application/pdf' }]);
  });

  it('makes a new version when it is replaced, and none when it is repeated', async () => {
    await receive(OBR(), ED(PDF.toString('base64')));
    await receive(OBR(), ED(PDF.toString('base64')));
    expect((await team.get(`${path()}/metadata?version=2`)).status).toBe(404);
    await receive(OBR('C'), ED(Buffer.from('%PDF-1.4 corrected').toString('base64')));
    expect((await team.get(`${path()}/metadata?version=2`)).status).toBe(200);
  });

  it('is sealed, and is removed with its user', async () => {
    await receive(OBR(), ED(PDF.toString('base64')));
    const rows = async () =>
      (await service.ownerPool.query('select * from lab_document where team_id = $1', [team.tenant.teamId]))
        .rows;
    const [row] = await rows();
    expect(row.content.includes('The report')).toBe(false);
    expect(row.description.includes('Report of')).toBe(false);
    await team.delete(`/v2/user/${ordered.order.user_id}`);
    await service.clock.move(31 * 86_400_000);
    await service.settle();
    expect(await rows()).toEqual([]);
  });

  it('is not found by another team', async () => {
    await receive(OBR(), ED(PDF.toString('base64')));
    const [document] = await list();
    const other = await service.team();
    expect((await other.get(`${path()}/documents`)).status).toBe(404);
    expect((await other.get(`${path()}/documents/${document.id}`)).status).toBe(404);
  });

  it('that is a reference is listed with its address', async () => {
    await receive(OBR(), 'OBX|1|RP|IMG^Scan^L||https://lab.example/scan/7^LIS^application^pdf||||||F');
    const [document] = await list();
    expect(document).toMatchObject({ content_type: null, url: 'https://lab.example/scan/7' });
    expect((await team.get(`${path()}/documents/${document.id}`)).status).toBe(409);
  });

  it('is linked by the FHIR report', async () => {
    await receive(OBR(), ED(PDF.toString('base64')));
    const [document] = await list();
    const bundle = (await team.get(`${path()}/fhir`)).json;
    expect(bundle.entry[0].resource.presentedForm).toMatchObject([
      { contentType: 'application/pdf', size: PDF.length, url: `${path()}/documents/${document.id}` },
    ]);
  });

  it('is the PDF of the results for a team that prefers it', async () => {
    await receive(OBR(), ED(PDF.toString('base64')));
    expect((await download(`${path()}/pdf`)).rawPayload.equals(PDF)).toBe(false);
    const changed = await team.management.patch(`/v1/org/${team.orgId}/team/${team.tenant.teamId}`, {
      sandbox: { lab_report_pdf: 'laboratory' },
    });
    expect(changed.status).toBe(200);
    expect((await download(`${path()}/pdf`)).rawPayload.equals(PDF)).toBe(true);
    expect((await download(`${path()}/pdf?version=1`)).rawPayload.equals(PDF)).toBe(false);
  });

  it('is named in the PDF of the results, and not without one', async () => {
    await receive(OBR(), ED(Buffer.from('Text of the laboratory').toString('base64'), '^text^plain^Base64'));
    const text = async () => pdfText((await download(`${path()}/pdf`)).rawPayload);
    expect(await text()).not.toContain('Enclosed by the laboratory');
    await receive(OBR(), ED(PDF.toString('base64')));
    expect(await text()).toContain('Enclosed by the laboratory');
    expect(await text()).toContain('Report of the laboratory (PDF), received ');
  });

  it('is attached to the PDF of the results byte for byte, the newest one', async () => {
    await receive(OBR(), ED(PDF.toString('base64')));
    await service.clock.move(1000);
    const corrected = Buffer.from('%PDF-1.4\nThe corrected report of the laboratory\n%%EOF');
    await receive(OBR('C'), ED(corrected.toString('base64')));
    const bytes = (await download(`${path()}/pdf`)).rawPayload;
    const opened = await getDocument({ data: new Uint8Array(bytes), verbosity: 0 }).promise;
    const attached = Object.values(await opened.getAttachments()) as {
      filename: string;
      content: Uint8Array;
    }[];
    await opened.destroy();
    expect(attached.map(({ content }) => Buffer.from(content).toString())).toEqual([corrected.toString()]);
    const [document] = await list();
    expect(attached[0]?.filename).toBe(`laboratory-report-${document.id}.pdf`);
    expect((await download(`${path()}/pdf`)).rawPayload.equals(bytes)).toBe(true);
  });

  it('that claims to be a web page is plain text', async () => {
    const page = Buffer.from('<html><script>alert(1)</script></html>');
    await receive(OBR(), ED(page.toString('base64'), '^text^html^Base64'));
    const [document] = await list();
    const file = await download(`${path()}/documents/${document.id}`);
    expect(file.headers['content-type']).toMatch(/^text\/plain/);
    expect(file.headers['content-disposition']).toMatch(/^attachment/);
  });

  it('that cannot be read is doubted in a note', async () => {
    await receive(OBR(), ED('not base64!'), ED(Buffer.from([0, 1, 2, 3]).toString('base64')));
    expect(await list()).toEqual([]);
    const notes = JSON.stringify((await team.get(path())).json.sample_information);
    expect(notes).toContain('not base64');
    expect(notes).toContain('type is not supported');
  });
});
