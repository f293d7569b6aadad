import { DomainError } from '../../platform/errors.ts';
import { onceTogether } from '../../platform/together.ts';
import type { Work } from '../../platform/work.ts';
import { getLabAccount, type LabAccount } from '../lab-accounts/lab-accounts.ts';
import type { Order } from './order.ts';

/** The account that an order goes through; undefined for the platform's own, and for one that was closed to the team. */
export async function accountOf(
  work: Work,
  { lab_account_id: id }: Pick<Order, 'lab_account_id'>,
): Promise<LabAccount | undefined> {
  return id === null ? undefined : openAccount(work, id);
}

const openAccount = onceTogether((work, id) => getLabAccount(work, id).catch(closed));

function closed(error: unknown): undefined {
  if (error instanceof DomainError && error.kind === 'not_found') return undefined;
  throw error;
}
