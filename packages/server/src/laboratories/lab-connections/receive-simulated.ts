import type { App } from '../../app.ts';
import { readTenant } from '../../app.ts';
import type { LabFormat, MessageParties } from '../../adapters/lab-network/port.ts';
import { writeAuditEntry, type TenantChangeContext } from '../../identity/management/management.ts';
import { asSystem } from '../../platform/db/transact.ts';
import { DomainError } from '../../platform/errors.ts';
import { toLabRoute, toParties, type LabRoute } from './connection.ts';
import { getConnection } from './connections.ts';
import { ingestMessages, type MessageReceipt } from './ingestion.ts';

/** A connection of a sandbox, as its simulated laboratory sees it. */
export interface SimulatedSender {
  readonly route: LabRoute;
  readonly lab: string;
  /** The names in MSH-3 to MSH-6 of its messages. */
  readonly parties: MessageParties;
}

/** The connection by which a simulated laboratory sends. 400 outside a sandbox, and if it receives no results. */
export async function findSimulatedSender(
  app: App,
  { tenant }: TenantChangeContext,
  connectionId: string,
): Promise<SimulatedSender> {
  const row = await readTenant(app, tenant, (work) => getConnection(work, connectionId));
  const route = toLabRoute(row);
  if (tenant.environment !== 'sandbox')
    throw new DomainError('bad_request', 'Simulation is available in sandbox only');
  if (!route || route.inbound === 'none')
    throw new DomainError('bad_request', 'The connection receives no results: its inbound is none');
  return { route, lab: row.lab, parties: toParties(row) };
}

interface SimulatedMessage {
  readonly bytes: Buffer;
  readonly format: LabFormat;
  readonly address: string;
}

/**
 * Receives a message as if the laboratory of the connection had sent it: the same checks, storage and processing. The
 * audit entry is written first: a message never comes in without one.
 */
export async function receiveSimulated(
  app: App,
  { tenant, orgId, by }: TenantChangeContext,
  { sender: { route }, message }: { sender: SimulatedSender; message: SimulatedMessage },
): Promise<MessageReceipt[]> {
  if (route.inbound === 'none') throw new Error('The connection receives no results');
  const { bytes, format, address } = message;
  const after = { format, size_bytes: bytes.length };
  const entry = { action: 'simulate_lab_message', subject: route.connectionId, after, at: app.clock.now() };
  await asSystem(app.db, (tx) => writeAuditEntry(tx, { ...by, orgId, ...tenant, ...entry }));
  return ingestMessages(app, {
    bytes,
    format,
    way: route.inbound,
    remoteAddress: address,
    fingerprint: route.clientFingerprint,
    sender: route,
  });
}
