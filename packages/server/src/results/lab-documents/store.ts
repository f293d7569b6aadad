import type { ReceivedDocument } from '../../adapters/lab-network/port.ts';
import { insertRow } from '../../platform/db/insert-row.ts';
import { tenantColumns } from '../../platform/db/tenant-rows.ts';
import { newId } from '../../platform/ids.ts';
import { defer, type Work } from '../../platform/work.ts';
import type {} from './table.ts';

const DESCRIPTION_CONTEXT = 'lab_document.description';
const CONTENT_CONTEXT = 'lab_document.content';

type LabDocumentDescription = Omit<ReceivedDocument, 'content' | 'test' | 'sha256'>;

/** A document of the laboratory without its bytes. */
export interface LabDocument extends LabDocumentDescription {
  readonly id: string;
  readonly receivedAt: Date;
}

/** Stores the documents of a report that is inserted in the same work; deferred behind it. */
export function insertDocuments(
  work: Work,
  incomingResultId: string,
  documents: readonly ReceivedDocument[],
): void {
  for (const { content, test: _test, sha256: _sha256, ...description } of documents) {
    defer(
      work,
      insertRow('lab_document', {
        ...tenantColumns(work.tenant),
        id: newId(),
        incoming_result_id: incomingResultId,
        description: work.cipher.seal(JSON.stringify(description), DESCRIPTION_CONTEXT),
        content: content ? work.cipher.sealChunk(content, CONTENT_CONTEXT) : null,
        created_at: work.now,
      }),
    );
  }
}

/** An order lists its newest documents only; more come from a laboratory that repeats itself. */
const DOCUMENTS_MAX = 200;

const selectDocuments = ({ tx, tenant }: Work, orderId: string) =>
  tx
    .selectFrom('lab_document as d')
    .innerJoin('incoming_result as r', (join) =>
      join
        .onRef('r.team_id', '=', 'd.team_id')
        .onRef('r.environment', '=', 'd.environment')
        .onRef('r.id', '=', 'd.incoming_result_id'),
    )
    .where('r.team_id', '=', tenant.teamId)
    .where('r.environment', '=', tenant.environment)
    .where('r.order_id', '=', orderId);

/** The documents of the reports that are attached to an order, newest first. */
export async function listDocuments(work: Work, orderId: string): Promise<LabDocument[]> {
  const rows = await selectDocuments(work, orderId)
    .select(['d.id', 'd.description', 'd.created_at'])
    .orderBy('d.created_at', 'desc')
    .orderBy('d.id')
    .limit(DOCUMENTS_MAX)
    .execute();
  return rows.map((row) => openDocument(work, row));
}

/** A document of the order with its bytes; null bytes for a reference. */
export async function findDocument(
  work: Work,
  { orderId, id }: { orderId: string; id: string },
): Promise<{ document: LabDocument; content: Buffer | null } | undefined> {
  const row = await selectDocuments(work, orderId)
    .select(['d.id', 'd.description', 'd.created_at', 'd.content'])
    .where('d.id', '=', id)
    .executeTakeFirst();
  return (
    row && {
      document: openDocument(work, row),
      content: row.content && work.cipher.openChunk(row.content, CONTENT_CONTEXT),
    }
  );
}

const openDocument = (
  { cipher }: Work,
  { id, description, created_at }: { id: string; description: Buffer; created_at: Date },
): LabDocument => ({
  ...JSON.parse(cipher.open(description, DESCRIPTION_CONTEXT)),
  id,
  receivedAt: created_at,
});
