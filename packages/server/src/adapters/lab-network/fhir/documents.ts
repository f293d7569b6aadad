import {
  createDocument,
  decodeBase64,
  describeCutDocument,
  describeDocument,
  describeUnreadDocument,
  isCutOff,
} from '../received-document.ts';
import type { ReceivedDocument, ReceivedReport, TestNote } from '../received.ts';
import { readCodes } from './observations.ts';
import type { DiagnosticReport } from './wire.ts';

type DocumentsOfReport = Pick<ReceivedReport, 'documents'> & { readonly documentNotes: readonly TestNote[] };

/** The documents in `presentedForm`, with notes on those that cannot be read and on reports of documents alone. */
export function readPresentedForms(reports: readonly DiagnosticReport[]): DocumentsOfReport {
  const documents: ReceivedDocument[] = [];
  const documentNotes: TestNote[] = [];
  for (const { code, presentedForm, result } of reports) {
    const test = readCodes(code);
    for (const form of presentedForm) {
      const title = form.title ?? null;
      const document = readForm(form, test);
      if (typeof document !== 'string') documents.push(document);
      if (typeof document === 'string')
        documentNotes.push({ test, note: describeUnreadDocument(title, document) });
      else if (isCutOff(document)) documentNotes.push({ test, note: describeCutDocument(title) });
      if (typeof document !== 'string' && result.length === 0)
        documentNotes.push({ test, note: describeDocument(title) });
    }
  }
  return { ...(documents.length === 0 ? {} : { documents }), documentNotes };
}

function readForm(
  {
    title = null,
    data,
    url,
  }: Omit<DiagnosticReport['presentedForm'][number], 'title'> & { title?: string | null | undefined },
  test: ReceivedDocument['test'],
): ReceivedDocument | string {
  if (data === undefined) {
    if (url === undefined) return 'it has neither data nor an address';
    return { test, title, mediaType: null, sizeBytes: null, sha256: null, address: url };
  }
  const content = decodeBase64([data]);
  return content === undefined ? 'its data are not base64' : createDocument({ test, title, content });
}
