import { sql } from 'kysely';
import type { Insertable, Selectable, Updateable } from 'kysely';
import type { ReceivedReport } from '../../adapters/lab-network/port.ts';
import type { Database } from '../../platform/db/database.ts';
import { insertRow } from '../../platform/db/insert-row.ts';
import { precompileQuery } from '../../platform/db/precompiled-query.ts';
import { tenantColumns } from '../../platform/db/tenant-rows.ts';
import { newId } from '../../platform/ids.ts';
import type { Tenant } from '../../platform/tenant.ts';
import { createBatchLoader } from '../../platform/batch-loader.ts';
import { defer, type Work } from '../../platform/work.ts';
import type { StoredMatchCandidate } from './match-candidate.ts';
import { appendTiming, deserializeReport, serializeContent } from './report-serialization.ts';
import type {} from './table.ts';

export const DOCUMENT_SEAL_CONTEXT = 'incoming_result.document';
const NOTE_SEAL_CONTEXT = 'incoming_result.note';

type IncomingResultRow = Selectable<Database['incoming_result']>;

/** A report with its match and review state. */
export interface IncomingResult extends Omit<IncomingResultRow, 'document' | 'note' | 'candidates'> {
  readonly report: ReceivedReport;
  readonly candidates: readonly StoredMatchCandidate[];
}

interface ReportIdentity {
  readonly lab: string;
  readonly controlId: string;
  readonly digest: Buffer;
}

/** Whether the report was received before. Locks its identity: a concurrent receipt of the same report waits. */
export const isAlreadyReceived: (work: Work, identity: ReportIdentity) => Promise<boolean> =
  createBatchLoader(async ({ tx, tenant }, all: readonly ReportIdentity[]) => {
    const { teamId, environment } = tenant;
    const names = all.map(({ lab, controlId }) => `incoming/${teamId}/${environment}/${lab}/${controlId}`);
    const some = {
      ...tenant,
      labs: all.map(({ lab }) => lab),
      controlIds: all.map(({ controlId }) => controlId),
      digests: all.map(({ digest }) => digest),
    };
    const [, rows] = await Promise.all([
      lockIdentities(tx, { names: [...new Set(names)].toSorted() }),
      readKnownIdentities(tx, some),
    ]);
    const known = new Set(
      rows.map((row) => toIdentityKey({ ...row, lab: row.lab_slug, controlId: row.control_id })),
    );
    return all.map((one) => known.has(toIdentityKey(one)));
  });

const toIdentityKey = ({ lab, controlId, digest }: ReportIdentity) =>
  `${lab}/${digest.toString('hex')}/${controlId}`;

/** Takes the locks in the given order; sorted names avoid deadlocks. */
const lockIdentities = precompileQuery((tx, { names }: { names: readonly string[] }) =>
  tx
    .selectFrom(sql<{ name: string }>`unnest(${names}::text[])`.as<'wanted'>(sql`wanted (name)`))
    .select(sql`pg_advisory_xact_lock(hashtextextended(wanted.name, 0))`.as('locked')),
);

interface ReportIdentities extends Tenant {
  readonly labs: readonly string[];
  readonly controlIds: readonly string[];
  readonly digests: readonly Buffer[];
}

/** Lateral index lookups; a plain join could scan all reports of the tenant. */
const readKnownIdentities = precompileQuery(
  (tx, { teamId, environment, labs, controlIds, digests }: ReportIdentities) =>
    tx
      .selectFrom(
        sql<{ lab: string; control_id: string; digest: Buffer }>`
        unnest(${labs}::text[], ${controlIds}::text[], ${digests}::bytea[])`.as<'wanted'>(
          sql`wanted (lab, control_id, digest)`,
        ),
      )
      .crossJoinLateral((join) =>
        join
          .selectFrom('incoming_result as r')
          .select(['r.lab_slug', 'r.control_id', 'r.digest'])
          .where('r.team_id', '=', teamId)
          .where('r.environment', '=', environment)
          .whereRef('r.lab_slug', '=', 'wanted.lab')
          .whereRef('r.control_id', '=', 'wanted.control_id')
          .whereRef('r.digest', '=', 'wanted.digest')
          .limit(1)
          .as('known'),
      )
      .select(['known.lab_slug', 'known.control_id', 'known.digest']),
);

type NewIncomingResult = Omit<
  Insertable<Database['incoming_result']>,
  'team_id' | 'environment' | 'id' | 'candidates' | 'note' | 'created_at' | 'updated_at'
> & { candidates: readonly StoredMatchCandidate[] };

/** The sealed report and its digest for recognizing repeats; serializes the report once for both. */
export function sealReport({ cipher }: Work, report: ReceivedReport): { digest: Buffer; document: Buffer } {
  const content = serializeContent(report);
  return {
    digest: cipher.blindIndex(`incoming/${content}`),
    document: cipher.seal(appendTiming(content, report.timing), DOCUMENT_SEAL_CONTEXT),
  };
}

/** Stores the report, deferred to the next statement; returns its id. */
export function insertIncomingResult(work: Work, { candidates, ...row }: NewIncomingResult): string {
  const id = newId();
  defer(
    work,
    insertRow('incoming_result', {
      ...tenantColumns(work.tenant),
      ...row,
      id,
      candidates: JSON.stringify(candidates),
      created_at: work.now,
      updated_at: work.now,
    }),
  );
  return id;
}

const unsealIncomingResult = (
  work: Work,
  { document, note: _note, ...row }: IncomingResultRow,
): IncomingResult => ({
  ...row,
  report: deserializeReport(work.cipher.open(document, DOCUMENT_SEAL_CONTEXT)),
});

const readAttachedReports = precompileQuery((tx, some: Tenant & { orderIds: readonly string[] }) =>
  tx
    .selectFrom('incoming_result')
    .select(['order_id', 'document'])
    .where('team_id', '=', some.teamId)
    .where('environment', '=', some.environment)
    .where('order_id', '=', sql<string>`any(${some.orderIds}::uuid[])`)
    .orderBy('created_at')
    .orderBy('id'),
);

/** The reports attached to an order, in the order of arrival. */
export const listAttachedReports: (work: Work, orderId: string) => Promise<ReceivedReport[]> =
  createBatchLoader(async ({ tx, tenant, cipher }, orderIds: readonly string[]) => {
    const rows = await readAttachedReports(tx, { ...tenant, orderIds });
    return orderIds.map((id) =>
      rows
        .filter(({ order_id: of }) => of === id)
        .map(({ document }) => deserializeReport(cipher.open(document, DOCUMENT_SEAL_CONTEXT))),
    );
  });

/** A report that was put up for review; `lock` blocks concurrent decisions. */
export async function findReview(
  work: Work,
  id: string,
  { lock }: { lock: boolean } = { lock: false },
): Promise<IncomingResult | undefined> {
  const row = await reviewsOf(work)
    .selectAll()
    .where('id', '=', id)
    .$if(lock, (query) => query.forUpdate())
    .executeTakeFirst();
  return row && unsealIncomingResult(work, row);
}

const reviewsOf = ({ tx, tenant }: Work) =>
  tx
    .selectFrom('incoming_result')
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .where('review_opened_at', 'is not', null);

interface ReviewFilter {
  readonly limit: number;
  readonly statuses: readonly IncomingResultRow['status'][];
  readonly decisionCode: IncomingResultRow['decision_code'] | null;
}

export interface ReviewPageOptions extends ReviewFilter {
  readonly after: { readonly createdAt: Date; readonly id: string } | null;
}

/** Reviews, oldest first, because reviewers start with the longest waiting. */
export async function listReviews(work: Work, page: ReviewPageOptions): Promise<IncomingResult[]> {
  const { after } = page;
  const rows = await filterReviews(work, page)
    .selectAll()
    .$if(after !== null, (query) =>
      query.where(sql<boolean>`(created_at, id) > (${after?.createdAt}, ${after?.id})`),
    )
    .orderBy('created_at')
    .orderBy('id')
    .limit(page.limit)
    .execute();
  return rows.map((row) => unsealIncomingResult(work, row));
}

/** Counts reviews up to the limit. */
export async function countReviews(work: Work, filter: ReviewFilter): Promise<number> {
  const { count } = await work.tx
    .selectFrom(filterReviews(work, filter).select('id').limit(filter.limit).as('review'))
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return Number(count);
}

const filterReviews = (work: Work, { statuses, decisionCode }: ReviewFilter) =>
  reviewsOf(work)
    .where('status', 'in', [...statuses])
    .$if(decisionCode !== null, (query) => query.where('decision_code', '=', decisionCode));

type IncomingReviewDecision = Pick<
  Updateable<Database['incoming_result']>,
  'status' | 'order_id' | 'version' | 'reviewed_by' | 'reviewed_at' | 'action'
> & { note: string | null };

/** Records the decision of a reviewer. */
export async function recordReviewDecision(
  work: Work,
  id: string,
  { note, ...decided }: IncomingReviewDecision,
): Promise<void> {
  await work.tx
    .updateTable('incoming_result')
    .set({
      ...decided,
      ...(note === null ? {} : { note: work.cipher.seal(note, NOTE_SEAL_CONTEXT) }),
      updated_at: work.now,
    })
    .where('team_id', '=', work.tenant.teamId)
    .where('environment', '=', work.tenant.environment)
    .where('id', '=', id)
    .execute();
}

/** Updates a review after the report was matched again. */
export async function updateReview(
  { tx, tenant, now }: Work,
  id: string,
  changes: Pick<
    Updateable<Database['incoming_result']>,
    | 'status'
    | 'decision_code'
    | 'sub_reason_codes'
    | 'score'
    | 'candidates'
    | 'awaits_kit'
    | 'order_id'
    | 'version'
    | 'reviewed_at'
  >,
): Promise<void> {
  await tx
    .updateTable('incoming_result')
    .set({ ...changes, updated_at: now })
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .where('id', '=', id)
    .execute();
}
