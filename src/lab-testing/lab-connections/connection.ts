import type { Selectable } from 'kysely';
import type { Parties } from '../../adapters/lab-network/port.ts';
import type { Database } from '../../platform/db/database.ts';
import { ENVIRONMENTS, type Tenant } from '../../platform/tenant.ts';
import type {} from './table.ts';

export type ConnectionRow = Selectable<Database['lab_connection']>;

/** As much of a connection as taking in a message needs. */
export interface Route {
  readonly tenant: Tenant;
  readonly connectionId: string;
  readonly lab: string;
  readonly accountNumber: string | null;
  readonly timeZone: string;
  readonly clientFingerprint: string | null;
}

// prettier-ignore
export const ROUTE = [
  'team_id', 'environment', 'id', 'lab', 'account_number', 'time_zone', 'client_fingerprint',
] as const;

export function routeOf(row: Pick<ConnectionRow, (typeof ROUTE)[number]> | undefined): Route | undefined {
  const environment = ENVIRONMENTS.find((name) => name === row?.environment);
  if (!row || !environment) return undefined;
  return {
    tenant: { teamId: row.team_id, environment },
    connectionId: row.id,
    lab: row.lab,
    accountNumber: row.account_number,
    timeZone: row.time_zone,
    clientFingerprint: row.client_fingerprint,
  };
}

export const partiesOf = (row: ConnectionRow): Parties => ({
  labApplication: row.lab_application,
  labFacility: row.lab_facility,
  ourApplication: row.our_application,
  ourFacility: row.our_facility,
});
