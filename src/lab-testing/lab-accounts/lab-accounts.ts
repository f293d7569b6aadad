import type { Work } from '../../platform/work.ts';
import type { LabAccount } from './schema.ts';

export type { LabAccount } from './schema.ts';

export interface WantedAccount {
  readonly labSlug: string;
  /** As the order named it. */
  readonly wantedId?: string | null | undefined;
  readonly billingType: string;
  /** Where the patient lives, as `NY`; null where it is not known. */
  readonly state: string | null;
  /** An import takes an account that is still pending. */
  readonly acceptPending?: boolean;
}

/** The account that an order goes through; undefined is the platform's own, which is not delegated. */
export async function resolveAccount(work: Work, wanted: WantedAccount): Promise<LabAccount | undefined> {
  throw new Error(`Not yet: ${work.tenant.teamId} ${wanted.labSlug}`);
}

/** Gives a new sandbox tenant lab accounts in every status and delegated flow; production gets none. */
export async function seedLabAccounts(work: Work): Promise<void> {
  throw new Error(`Not yet: ${work.tenant.teamId}`);
}
