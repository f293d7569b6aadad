import PDFDocument from 'pdfkit';
import { describe, expect, it } from 'vitest';
import { readReport } from '../reading/read.ts';
import { checkFiles } from './check-files.ts';
import { loadPages } from './load-pages.ts';

type Passwords = Pick<PDFKit.PDFDocumentOptions, 'ownerPassword' | 'userPassword'>;

function protectedPdf(
  pdfVersion: PDFKit.PDFDocumentOptions['pdfVersion'],
  passwords: Passwords,
): Promise<Buffer> {
  const paper = new PDFDocument({
    ...passwords,
    ...(pdfVersion && { pdfVersion }),
    permissions: { printing: 'lowResolution', modifying: false, copying: false },
    info: { CreationDate: new Date(0) },
  });
  const pieces: Buffer[] = [];
  paper.on('data', (piece: Buffer) => pieces.push(piece));
  ['Test', 'Result', 'Units', 'Range'].forEach((text, at) => paper.text(text, 60 + 120 * at, 100));
  ['Glucose', '112', 'mg/dL', '70-99'].forEach((text, at) => paper.text(text, 60 + 120 * at, 120));
  return new Promise((resolve) => {
    paper.on('end', () => resolve(Buffer.concat(pieces)));
    paper.end();
  });
}

describe('a PDF that opens without a password but forbids changes', () => {
  // prettier-ignore
  const CIPHERS = [
    ['RC4 of 40 bits', '1.3'],
    ['RC4 of 128 bits', '1.4'],
    ['AES of 128 bits', '1.7'],
    ['AES of 256 bits', '1.7ext3'],
  ] as const;

  it.each(CIPHERS)('is read if encrypted by %s', async (_cipher, version) => {
    const file = { type: 'application/pdf', bytes: await protectedPdf(version, { ownerPassword: 'owner' }) };
    expect(await checkFiles([file])).toEqual({ types: ['application/pdf'], pages: 1 });
    const pages = await loadPages([file], () => {});
    expect(readReport(pages.map(({ page }) => page)).results).toMatchObject([
      { testName: 'Glucose', printedValue: '112', unit: 'mg/dL' },
    ]);
  });

  it.each(CIPHERS)(
    'is refused if it needs a password to open and is encrypted by %s',
    async (_cipher, version) => {
      const bytes = await protectedPdf(version, { ownerPassword: 'owner', userPassword: 'user' });
      expect(await checkFiles([{ type: 'application/pdf', bytes }])).toMatchObject({
        refused: expect.stringMatching(/password/),
      });
    },
  );
});
