import { sql } from 'kysely';
import type { Insertable, Selectable, Updateable } from 'kysely';
import type { ReceivedReport } from '../../adapters/lab-network/port.ts';
import type { Database } from '../../platform/db/database.ts';
import { insertRow } from '../../platform/db/insert-row.ts';
import { readyQuery } from '../../platform/db/ready-query.ts';
import { tenantColumns } from '../../platform/db/tenant-rows.ts';
import { newId } from '../../platform/ids.ts';
import type { Tenant } from '../../platform/tenant.ts';
import { together } from '../../platform/together.ts';
import { defer, type Work } from '../../platform/work.ts';
import type { StoredCandidate } from './candidate.ts';
import { receivedOf, textOfReceived } from './received-text.ts';
import type {} from './table.ts';

export const DOCUMENT = 'incoming_result.document';
const NOTE = 'incoming_result.note';

type Row = Selectable<Database['incoming_result']>;

/** A report with what became of it. */
export interface Incoming extends Omit<Row, 'document' | 'note' | 'candidates'> {
  readonly report: ReceivedReport;
  readonly candidates: readonly StoredCandidate[];
}

export interface Identity {
  readonly lab: string;
  readonly controlId: string;
  readonly digest: Buffer;
}

/** Of two who bring the same report at once the second waits for the first, and then knows it. */
export const wasTaken: (work: Work, identity: Identity) => Promise<boolean> = together(
  async ({ tx, tenant }, all: readonly Identity[]) => {
    const { teamId, environment } = tenant;
    const names = all.map(({ lab, controlId }) => `incoming/${teamId}/${environment}/${lab}/${controlId}`);
    const some = {
      ...tenant,
      labs: all.map(({ lab }) => lab),
      controlIds: all.map(({ controlId }) => controlId),
      digests: all.map(({ digest }) => digest),
    };
    const [, rows] = await Promise.all([
      lock(tx, { names: [...new Set(names)].toSorted() }),
      taken(tx, some),
    ]);
    const known = new Set(rows.map((row) => keyOf({ ...row, lab: row.lab_slug, controlId: row.control_id })));
    return all.map((one) => known.has(keyOf(one)));
  },
);

const keyOf = ({ lab, controlId, digest }: Identity) => `${lab}/${digest.toString('hex')}/${controlId}`;

/** One after the other as they stand, so that two who want some of the same do not wait for each other. */
const lock = readyQuery((tx, { names }: { names: readonly string[] }) =>
  tx
    .selectFrom(sql<{ name: string }>`unnest(${names}::text[])`.as<'wanted'>(sql`wanted (name)`))
    .select(sql`pg_advisory_xact_lock(hashtextextended(wanted.name, 0))`.as('locked')),
);

interface Identities extends Tenant {
  readonly labs: readonly string[];
  readonly controlIds: readonly string[];
  readonly digests: readonly Buffer[];
}

/** Each looked up by itself: joined, they might be compared with all that the tenant ever received. */
const taken = readyQuery((tx, { teamId, environment, labs, controlIds, digests }: Identities) =>
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

export type NewIncoming = Omit<
  Insertable<Database['incoming_result']>,
  'team_id' | 'environment' | 'id' | 'candidates' | 'note' | 'created_at' | 'updated_at'
> & { candidates: readonly StoredCandidate[] };

/** The report as it is kept, and the digest by which the same one is known again; its text is long and made once. */
export function sealReport({ cipher }: Work, report: ReceivedReport): { digest: Buffer; document: Buffer } {
  const text = textOfReceived(report);
  return { digest: cipher.blindIndex(`incoming/${text}`), document: cipher.seal(text, DOCUMENT) };
}

/** Keeps the report; answers its id. */
export function insertIncoming(work: Work, { candidates, ...row }: NewIncoming): string {
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

const opened = (work: Work, { document, note: _note, ...row }: Row): Incoming => ({
  ...row,
  report: receivedOf(work.cipher.open(document, DOCUMENT)),
});

const attachedTo = readyQuery((tx, some: Tenant & { orderIds: readonly string[] }) =>
  tx
    .selectFrom('incoming_result')
    .select(['order_id', 'document'])
    .where('team_id', '=', some.teamId)
    .where('environment', '=', some.environment)
    .where('order_id', '=', sql<string>`any(${some.orderIds}::uuid[])`)
    .orderBy('created_at')
    .orderBy('id'),
);

/** What was attached to an order so far, in the order in which it came. */
export const listAttached: (work: Work, orderId: string) => Promise<ReceivedReport[]> = together(
  async ({ tx, tenant, cipher }, orderIds: readonly string[]) => {
    const rows = await attachedTo(tx, { ...tenant, orderIds });
    return orderIds.map((id) =>
      rows
        .filter(({ order_id: of }) => of === id)
        .map(({ document }) => receivedOf(cipher.open(document, DOCUMENT))),
    );
  },
);

/** A report that a person was asked about; `lock` keeps others from deciding it meanwhile. */
export async function findReview(
  work: Work,
  id: string,
  { lock }: { lock: boolean } = { lock: false },
): Promise<Incoming | undefined> {
  const row = await reviews(work)
    .where('id', '=', id)
    .$if(lock, (query) => query.forUpdate())
    .executeTakeFirst();
  return row && opened(work, row);
}

const reviews = ({ tx, tenant }: Work) =>
  tx
    .selectFrom('incoming_result')
    .selectAll()
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .where('review_opened_at', 'is not', null);

export interface ReviewPage {
  readonly limit: number;
  readonly statuses: readonly Row['status'][];
  readonly decisionCode: Row['decision_code'] | null;
  readonly after: { readonly createdAt: Date; readonly id: string } | null;
}

/** Reviews, oldest first: who works a list off begins with what has waited longest. */
export async function listReviews(work: Work, page: ReviewPage): Promise<Incoming[]> {
  const { after, decisionCode } = page;
  let query = reviews(work).where('status', 'in', [...page.statuses]);
  if (decisionCode !== null) query = query.where('decision_code', '=', decisionCode);
  if (after) query = query.where(sql<boolean>`(created_at, id) > (${after.createdAt}, ${after.id})`);
  const rows = await query.orderBy('created_at').orderBy('id').limit(page.limit).execute();
  return rows.map((row) => opened(work, row));
}

export type Decided = Pick<
  Updateable<Database['incoming_result']>,
  'status' | 'order_id' | 'version' | 'reviewed_by' | 'reviewed_at' | 'action'
> & { note: string | null };

/** Writes down what a person decided. */
export async function markDecided(work: Work, id: string, { note, ...decided }: Decided): Promise<void> {
  await work.tx
    .updateTable('incoming_result')
    .set({
      ...decided,
      ...(note === null ? {} : { note: work.cipher.seal(note, NOTE) }),
      updated_at: work.now,
    })
    .where('team_id', '=', work.tenant.teamId)
    .where('environment', '=', work.tenant.environment)
    .where('id', '=', id)
    .execute();
}

/** Writes down what was found when a report was looked at again. */
export async function changeReview(
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
