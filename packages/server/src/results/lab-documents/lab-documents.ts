import { DomainError, requireFound } from '../../platform/errors.ts';
import type { FileResponse } from '../../platform/http/file-response.ts';
import type { Work } from '../../platform/work.ts';
import { findDocument, listDocuments, type LabDocument } from './store.ts';

export { insertDocuments, listDocuments, type LabDocument } from './store.ts';

const EXTENSIONS: Readonly<Record<string, string>> = {
  'application/pdf': 'pdf',
  'application/rtf': 'rtf',
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/gif': 'gif',
  'image/tiff': 'tiff',
  'text/plain': 'txt',
};

/** A document of the order as a download, or a 404; 409 for a reference, whose file is at the laboratory. */
export async function documentFile(work: Work, name: { orderId: string; id: string }): Promise<FileResponse> {
  const { document, content } = requireFound(await findDocument(work, name), 'Document');
  if (content === null)
    throw new DomainError(
      'conflict',
      'The document is a reference: the laboratory keeps the file at its url',
    );
  const mediaType = document.mediaType ?? 'application/octet-stream';
  return {
    name: `document-${document.id}.${EXTENSIONS[mediaType] ?? 'bin'}`,
    mediaType,
    isAttachment: true,
    render: async () => content,
  };
}

/** The PDFs that the laboratory sent for the order, newest first. */
export const listLaboratoryPdfs = async (work: Work, orderId: string): Promise<LabDocument[]> =>
  (await listDocuments(work, orderId)).filter(isPdf);

/** The newest PDF that the laboratory sent for the order, with its bytes. */
export async function readLaboratoryPdf(work: Work, orderId: string): Promise<LaboratoryPdf | undefined> {
  const [newest] = await listLaboratoryPdfs(work, orderId);
  const found = newest && (await findDocument(work, { orderId, id: newest.id }));
  return found?.content ? { document: found.document, content: found.content } : undefined;
}

interface LaboratoryPdf {
  readonly document: LabDocument;
  readonly content: Buffer;
}

/** The newest PDF that the laboratory sent for the order. */
export async function findLaboratoryPdf(work: Work, orderId: string): Promise<FileResponse | undefined> {
  const [newest] = await listLaboratoryPdfs(work, orderId);
  return newest && documentFile(work, { orderId, id: newest.id });
}

const isPdf = ({ mediaType }: LabDocument): boolean => mediaType === 'application/pdf';
