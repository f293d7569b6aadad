import { z } from 'zod';
import type { App } from '../app.ts';
import { buildReport, toDocumentBrand } from '../documents/documents.ts';
import { readBrandWithLogo, type BrandWithLogo } from '../identity/brand/brand.ts';
import { BrandInformation, toBrand } from '../identity/management/management.ts';
import { previewMail } from '../mail/mail.ts';
import type { Http } from '../platform/http/http.ts';
import { layOutDocument } from '../platform/pdf/document.ts';
import { renderPdf } from '../platform/pdf/draw.ts';
import type { Work } from '../platform/work.ts';
import { previewLinkPage } from '../wearables/wearables.ts';
import { SAMPLE_MAIL, SAMPLE_REPORT } from './samples.ts';

/** The page, mails and documents of a team as they would look, with sample data. It belongs to no user. */
const BrandPreviewBody = z
  .strictObject({
    kind: z.enum(['mail', 'page', 'pdf']).describe('What is shown.'),
    brand_information: BrandInformation.partial()
      .nullish()
      .describe('The brand as it is being edited; the stored one if omitted.'),
  })
  .meta({ id: 'BrandPreviewBody' });

const BrandPreviewView = z
  .object({
    media_type: z.enum(['text/html', 'application/pdf']),
    content: z.string().describe('The HTML, or the PDF in base64.'),
  })
  .meta({ id: 'BrandPreview' });

export function brandPreviewRoutes(http: Http, app: App): void {
  http.post('/v1/brand/preview', {
    schema: {
      operationId: 'previewBrand',
      summary: 'Preview a brand',
      description:
        'Extension. Renders a mail, the page on which users connect providers, or a result report with sample data, ' +
        'which are of no person. Stores nothing. The logo is the stored one.',
      tag: 'Team',
      body: BrandPreviewBody,
      response: { 200: BrandPreviewView },
    },
    handler: ({ work, body }) => previewBrand(app, work, body),
  });
}

async function previewBrand(
  app: App,
  work: Work,
  { kind, brand_information: draft }: z.output<typeof BrandPreviewBody>,
): Promise<z.input<typeof BrandPreviewView>> {
  const stored = await readBrandWithLogo(work);
  const brand = draft ? { ...stored, ...toBrand(fillDraft(draft)) } : stored;
  if (kind === 'pdf') return { media_type: 'application/pdf', content: await previewReport(brand) };
  const content = kind === 'mail' ? previewMail(brand, SAMPLE_MAIL) : previewLinkPage(app, brand);
  return { media_type: 'text/html', content };
}

/** A field that is not given is empty, as the form shows it. */
const fillDraft = (
  draft: NonNullable<z.output<typeof BrandPreviewBody>['brand_information']>,
): z.output<typeof BrandInformation> => ({
  company_name: draft.company_name ?? '',
  company_website: draft.company_website ?? '',
  support_email: draft.support_email,
  support_contact: draft.support_contact ?? '',
  company_address: draft.company_address ?? '',
  brand_color: draft.brand_color ?? '',
});

async function previewReport(brand: BrandWithLogo): Promise<string> {
  const paper = () => layOutDocument({ ...buildReport(SAMPLE_REPORT), brand: toDocumentBrand(brand) });
  return Buffer.from(await renderPdf(paper)).toString('base64');
}
