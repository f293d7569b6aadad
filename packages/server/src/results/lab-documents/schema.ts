import { z } from 'zod';
import { isoTimestamp } from '../../platform/clock.ts';
import type { LabDocument } from './lab-documents.ts';

const LabDocumentView = z
  .object({
    id: z.guid(),
    title: z.string().nullable().describe('What the laboratory calls it.'),
    content_type: z
      .string()
      .nullable()
      .describe('The media type of the file by its bytes; null for a reference.'),
    size_bytes: z.int().nullable(),
    url: z
      .string()
      .nullable()
      .describe(
        'For a reference: the address that the laboratory gave, unchecked. It is never called by us.',
      ),
    received_at: z.iso.datetime({ offset: true }),
  })
  .meta({ id: 'LabDocument' });

export const LabDocumentList = z
  .object({ documents: z.array(LabDocumentView) })
  .meta({ id: 'LabDocumentList' });

export const viewDocument = (document: LabDocument): z.input<typeof LabDocumentView> => ({
  id: document.id,
  title: document.title,
  content_type: document.mediaType,
  size_bytes: document.sizeBytes,
  url: document.address ?? null,
  received_at: isoTimestamp(document.receivedAt),
});
