import type { Config } from '../../platform/config.ts';
import type { Tenant } from '../../platform/tenant.ts';

type ServicePhysician = Config['PHYSICIANS'][number];

/** Fictional: their NPIs have valid check digits, and are below the first that was ever assigned. */
const SANDBOX_PHYSICIANS: readonly ServicePhysician[] = [
  { first_name: 'Rebecca', last_name: 'Sandbox', npi: '1000000004', licensed_states: [] },
  { first_name: 'James', last_name: 'Sandbox', npi: '1000000012', licensed_states: [] },
];

/** The physicians of the service (PHYSICIANS). A sandbox has two fictional ones where none are configured. */
export function listServicePhysicians(
  { PHYSICIANS }: Pick<Config, 'PHYSICIANS'>,
  { environment }: Pick<Tenant, 'environment'>,
): readonly ServicePhysician[] {
  return environment === 'sandbox' && PHYSICIANS.length === 0 ? SANDBOX_PHYSICIANS : PHYSICIANS;
}
