import { DomainError } from '../../platform/errors.ts';
import { createDedupingLoader } from '../../platform/batch-loader.ts';
import type { Work } from '../../platform/work.ts';
import { getLabAccount, type LabAccount } from '../lab-accounts/lab-accounts.ts';
import type { Order } from './order.ts';

/** The lab account of an order. Undefined for the platform's own account and for one that is closed to the team. */
export async function findOrderLabAccount(
  work: Work,
  { lab_account_id: id }: Pick<Order, 'lab_account_id'>,
): Promise<LabAccount | undefined> {
  return id === null ? undefined : findOpenLabAccount(work, id);
}

const findOpenLabAccount = createDedupingLoader((work, id) =>
  getLabAccount(work, id).catch(undefinedIfNotFound),
);

function undefinedIfNotFound(error: unknown): undefined {
  if (error instanceof DomainError && error.kind === 'not_found') return undefined;
  throw error;
}
