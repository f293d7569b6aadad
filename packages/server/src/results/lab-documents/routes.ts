import { z } from 'zod';
import { getOrder } from '../../ordering/orders/orders.ts';
import { download } from '../../platform/http/file-response.ts';
import type { Http } from '../../platform/http/http.ts';
import { documentFile, listDocuments } from './lab-documents.ts';
import { LabDocumentList, viewDocument } from './schema.ts';

const tag = 'Results';

export function labDocumentRoutes(http: Http): void {
  http.get('/v3/order/:order_id/result/documents', {
    schema: {
      operationId: 'listResultDocuments',
      summary: 'List the documents of the laboratory',
      description:
        'Extension. The files and references that the laboratory enclosed in the reports of the order, newest ' +
        'first; at most 200.',
      tag,
      params: z.object({ order_id: z.guid() }),
      response: { 200: LabDocumentList },
    },
    handler: async ({ work, params }) => {
      const order = await getOrder(work, params.order_id);
      return { documents: (await listDocuments(work, order.id)).map(viewDocument) };
    },
  });
  http.get('/v3/order/:order_id/result/documents/:document_id', {
    schema: {
      operationId: 'getResultDocument',
      summary: 'Download a document of the laboratory',
      description:
        'Extension. The file as the laboratory sent it, as an attachment of the media type in `content_type`: PDF, ' +
        'RTF, PNG, JPEG, GIF, TIFF or plain text. 409 for a reference.',
      tag,
      params: z.object({ order_id: z.guid(), document_id: z.guid() }),
      response: { 200: download() },
    },
    handler: async ({ work, params }) =>
      documentFile(work, { orderId: params.order_id, id: params.document_id }),
  });
}
