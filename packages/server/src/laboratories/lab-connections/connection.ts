import type { Selectable } from 'kysely';
import type { MessageParties } from '../../adapters/lab-network/port.ts';
import type { Database } from '../../platform/db/database.ts';
import type { Tenant } from '../../platform/tenant.ts';
import { toTenant } from '../../platform/db/tenant-rows.ts';
import type {} from './table.ts';

export type LabConnectionRow = Selectable<Database['lab_connection']>;

/** The part of a connection that the ingestion of a message needs. */
export interface LabRoute {
  readonly tenant: Tenant;
  readonly connectionId: string;
  readonly lab: string;
  readonly accountNumber: string | null;
  readonly timeZone: string;
  readonly clientFingerprint: string | null;
}

// prettier-ignore
export const ROUTE_COLUMNS = [
  'team_id', 'environment', 'id', 'lab', 'account_number', 'time_zone', 'client_fingerprint',
] as const;

export function toLabRoute(
  row: Pick<LabConnectionRow, (typeof ROUTE_COLUMNS)[number]> | undefined,
): LabRoute | undefined {
  if (!row) return undefined;
  return {
    tenant: toTenant(row),
    connectionId: row.id,
    lab: row.lab,
    accountNumber: row.account_number,
    timeZone: row.time_zone,
    clientFingerprint: row.client_fingerprint,
  };
}

export const toParties = (row: LabConnectionRow): MessageParties => ({
  labApplication: row.lab_application,
  labFacility: row.lab_facility,
  ourApplication: row.our_application,
  ourFacility: row.our_facility,
});
