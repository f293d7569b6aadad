import { describe, expect, it } from 'vitest';
import { jpegLogo, pngLogo, webpLogo } from '../../test/logos.ts';
import { createOrder } from '../../test/orders.ts';
import { physician } from '../../test/examples.ts';
import { pdfText } from '../../test/pdf.ts';
import { useTestService } from '../../test/service-hooks.ts';
import type { TestTeam } from '../../test/service.ts';
import { renderPdf } from '../platform/pdf/draw.ts';
import { layOutDocument } from '../platform/pdf/document.ts';
import { parseLogo } from '../identity/brand/logo-image.ts';
import { toDocumentBrand } from './document-brand.ts';

const service = useTestService();

const brandOf = (color: string, logo?: Buffer) =>
  toDocumentBrand({ name: 'Ada Health', color, logo: logo && parseLogo(logo) });
const paper = {
  title: 'Sample',
  createdAt: new Date('2026-01-01T00:00:00Z'),
  runningHeader: 'Sample',
  footer: 'Sample',
  blocks: [{ kind: 'heading', text: 'Results' }] as const,
};
const marksOf = (brand: ReturnType<typeof brandOf>) => layOutDocument({ ...paper, brand }).pages.flat();

describe('a document with a brand', () => {
  it('has the name and headings in a color that can be read on white', () => {
    const texts = marksOf(brandOf('#0a6e5a')).filter((mark) => mark.kind === 'text');
    expect(texts.filter(({ color }) => color === '#0a6e5a').map(({ text }) => text)).toEqual([
      'Ada Health',
      'Results',
    ]);
  });

  it('has black text and colored lines where the color is too light', () => {
    const marks = marksOf(brandOf('#ffd400'));
    const colored = marks.filter((mark) => JSON.stringify(mark).includes('#ffd400'));
    expect(colored.map(({ kind }) => kind)).toEqual(['box', 'line']);
  });

  it.each([
    ['a PNG', pngLogo(), true],
    ['a PNG with transparency', pngLogo({ color: [1, 2, 3, 90] }), true],
    ['a JPEG', jpegLogo(), true],
    ['no WebP, which a PDF cannot contain', webpLogo(), false],
  ])('contains %s', async (_what, logo, isContained) => {
    const bytes = Buffer.from(
      await renderPdf(() => layOutDocument({ ...paper, brand: brandOf('#0a6e5a', logo) })),
    );
    expect(bytes.includes('/Subtype /Image')).toBe(isContained);
  });

  it('has no head without a name and a logo', () => {
    expect(toDocumentBrand({ name: '', color: '#0a6e5a', logo: undefined })).toBeUndefined();
  });

  it('is what a team with a name, a color and a logo gets', async () => {
    const team = await service.team();
    const order = await createOrder(team, 'walk_in_test', { physician });
    await setBrand(team);
    const bytes = await fetchPdf(team, `/v3/order/${order}/collection_instruction_pdf`);
    expect(pdfText(bytes)).toContain('Ada Health');
    expect(bytes.includes('/Subtype /Image')).toBe(true);
    const other = await service.team();
    const theirs = await createOrder(other, 'walk_in_test', { physician });
    const plain = await fetchPdf(other, `/v3/order/${theirs}/collection_instruction_pdf`);
    expect(plain.includes('/Subtype /Image')).toBe(false);
  });
});

async function setBrand(team: TestTeam): Promise<void> {
  const brand = { company_name: 'Ada Health', brand_color: '#0a6e5a' };
  await team.management.patch(`/v1/org/${team.orgId}/team/${team.tenant.teamId}`, {
    sandbox: { brand_information: brand },
  });
  const headers = { 'x-service-api-key': team.key, 'content-type': 'image/png' };
  const url = '/v1/brand/logo';
  const sent = await service.http.server.inject({ method: 'POST', url, headers, payload: pngLogo() });
  expect(sent.statusCode).toBe(200);
}

async function fetchPdf(team: TestTeam, url: string): Promise<Buffer> {
  const headers = { 'x-service-api-key': team.key };
  const answer = await service.http.server.inject({ method: 'GET', url, headers });
  expect(answer.statusCode).toBe(200);
  return answer.rawPayload;
}
