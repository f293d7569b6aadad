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
  readonly inbound: LabConnectionRow['inbound'];
  readonly isEnabled: boolean;
  readonly isDeleted: boolean;
  readonly listenerPort: number | null;
  /** The names that messages must come with; undefined if any are accepted. */
  readonly parties: MessageParties | undefined;
  readonly clientFingerprint: string | null;
  readonly previousFingerprint: { readonly value: string; readonly until: Date } | undefined;
}

// prettier-ignore
export const ROUTE_COLUMNS = [
  'team_id', 'environment', 'id', 'lab', 'account_number', 'time_zone', 'inbound', 'enabled', 'deleted_at',
  'listener_port', 'checks_parties', 'lab_application', 'lab_facility', 'our_application', 'our_facility',
  'client_fingerprint', 'previous_client_fingerprint', 'previous_client_fingerprint_until',
] as const;

type LabRouteRow = Pick<LabConnectionRow, (typeof ROUTE_COLUMNS)[number]>;

export function toLabRoute(row: LabRouteRow | undefined): LabRoute | undefined {
  if (!row) return undefined;
  const { previous_client_fingerprint: previous, previous_client_fingerprint_until: until } = row;
  return {
    tenant: toTenant(row),
    connectionId: row.id,
    lab: row.lab,
    accountNumber: row.account_number,
    timeZone: row.time_zone,
    inbound: row.inbound,
    isEnabled: row.enabled,
    isDeleted: row.deleted_at !== null,
    listenerPort: row.listener_port,
    parties: row.checks_parties ? toParties(row) : undefined,
    clientFingerprint: row.client_fingerprint,
    previousFingerprint: previous !== null && until !== null ? { value: previous, until } : undefined,
  };
}

type PartyRow = Pick<
  LabConnectionRow,
  'lab_application' | 'lab_facility' | 'our_application' | 'our_facility'
>;

export const toParties = (row: PartyRow): MessageParties => ({
  labApplication: row.lab_application,
  labFacility: row.lab_facility,
  ourApplication: row.our_application,
  ourFacility: row.our_facility,
});
