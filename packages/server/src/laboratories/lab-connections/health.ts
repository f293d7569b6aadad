import { X509Certificate } from 'node:crypto';
import { z } from 'zod';
import { readTenant, type App, type Work } from '../../app.ts';
import { DAY, isoTimestamp, later, MINUTE } from '../../platform/clock.ts';
import type { Tenant } from '../../platform/tenant.ts';
import { Timestamp } from '../../platform/timestamp.ts';
import { listConnections } from './connection-store.ts';
import type { LabConnectionRow } from './connection.ts';
import { COUNT_MAX, countMessages, type CountedLabMessages } from './health-store.ts';
import { openTls } from './tls.ts';

/** A laboratory answers within seconds, and what it sent is processed at once. */
const SLOW_AFTER_MS = 15 * MINUTE;
const CERTIFICATE_WARNING_MS = 30 * DAY;

const STATES = ['failing', 'delayed', 'expiring', 'healthy', 'unused', 'disabled'] as const;
const count = z.int().min(0).max(COUNT_MAX);

export const HealthList = z
  .object({
    data: z.array(
      z
        .object({
          lab_connection_id: z.guid(),
          state: z
            .enum(STATES)
            .describe(
              '`failing`: a message was not processed or was refused in the last day, or an order could not be sent. ' +
                '`delayed`: a message has waited for more than 15 minutes. `expiring`: a certificate ends within 30 days. ' +
                '`unused`: there has been no message.',
            ),
          last_in_at: Timestamp.nullable().describe('When the last message of the laboratory arrived.'),
          last_out_at: Timestamp.nullable().describe('When the last message to the laboratory was written.'),
          errors_last_day: count.describe('Dead and refused messages of the last 24 hours.'),
          dead: count.describe('Dead letters, which wait for a retry.'),
          waiting: count.describe('Messages that wait to be sent or processed.'),
          oldest_waiting_at: Timestamp.nullable(),
          certificate_ends_at: Timestamp.nullable().describe(
            'The first end of our client certificate and of an added authority, in system time.',
          ),
        })
        .meta({ id: 'LabConnectionHealth' }),
    ),
  })
  .meta({ id: 'LabConnectionHealthList', description: `Counts are exact up to ${COUNT_MAX}.` });
type HealthView = z.input<typeof HealthList>['data'][number];

/** How the connections of the tenant do, newest first. */
export function readHealth(app: App, tenant: Tenant): Promise<HealthView[]> {
  const systemNow = app.clock.now();
  return readTenant(app, tenant, async (work) => {
    const connections = await listConnections(work);
    const counted = await countMessages(
      work,
      connections.map(({ id }) => id),
    );
    const byId = new Map(counted.map((counts) => [counts.connection_id, counts]));
    return connections.flatMap((connection) => {
      const counts = byId.get(connection.id);
      return counts ? [toHealthView(work, { connection, counts, systemNow })] : [];
    });
  });
}

interface ConnectionState {
  readonly connection: LabConnectionRow;
  readonly counts: CountedLabMessages;
  readonly systemNow: Date;
}

function toHealthView(work: Work, given: ConnectionState): HealthView {
  const { connection, counts } = given;
  const ends = certificateEnd(work, connection);
  const iso = (at: Date | null) => at && isoTimestamp(at);
  return {
    lab_connection_id: connection.id,
    state: stateOf(work, given, ends),
    last_in_at: iso(counts.last_in_at),
    last_out_at: iso(counts.last_out_at),
    errors_last_day: Math.min(counts.errors, COUNT_MAX),
    dead: Math.min(counts.dead, COUNT_MAX),
    waiting: Math.min(counts.waiting, COUNT_MAX),
    oldest_waiting_at: iso(counts.oldest_waiting_at),
    certificate_ends_at: iso(ends),
  };
}

function stateOf({ now }: Work, { connection, counts, systemNow }: ConnectionState, ends: Date | null) {
  if (!connection.enabled) return 'disabled';
  if (counts.errors > 0 || counts.attempts > 0) return 'failing';
  const { oldest_waiting_at: oldest } = counts;
  if (oldest && oldest < later(now, -SLOW_AFTER_MS)) return 'delayed';
  if (ends && ends < later(systemNow, CERTIFICATE_WARNING_MS)) return 'expiring';
  return counts.last_in_at || counts.last_out_at ? 'healthy' : 'unused';
}

function certificateEnd(
  { cipher }: Work,
  { uses_tls: usesTls, tls_material: sealed }: LabConnectionRow,
): Date | null {
  if (!usesTls || sealed === null) return null;
  const { ca, cert } = openTls(cipher, sealed);
  const ends = [ca, cert].flatMap((pem) =>
    pem === undefined ? [] : [new Date(new X509Certificate(pem).validTo)],
  );
  return ends.toSorted((a, b) => a.getTime() - b.getTime())[0] ?? null;
}
