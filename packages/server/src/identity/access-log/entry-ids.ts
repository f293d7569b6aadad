import type { Platform } from '../../platform/work.ts';
import type { Tenant } from '../../platform/tenant.ts';
import { openPositionCipher, type EntryIds } from './position-cipher.ts';

/** The ids of entries in responses. They change with the master key. */
export const openEntryIds = ({ keyring }: Pick<Platform, 'keyring'>, tenant: Tenant): EntryIds =>
  openPositionCipher(keyring.derive(`access-log-entry-id/${tenant.teamId}/${tenant.environment}`));
