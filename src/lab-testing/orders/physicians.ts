import { isNpi } from '../../people/schema.ts';
import { teamSettings } from '../../management/management.ts';
import { isoDay } from '../../platform/clock.ts';
import { ConfigError, type Config } from '../../platform/config.ts';
import { DomainError, invalidField } from '../../platform/errors.ts';
import type { Work } from '../../platform/work.ts';
import type { LabAccount } from '../lab-accounts/lab-accounts.ts';
import type { Order } from './order.ts';
import { PhysicianView } from './schema.ts';

export interface OrderPhysician {
  readonly first_name: string;
  readonly last_name: string;
  readonly npi: string;
}

/** What the caller is to be told although the order was taken. */
export type Warn = (message: string) => void;

/**
 * Who orders the test, as the requisition names them: the order's own physician, else the first of the service's
 * own who may do so where the patient lives. Nobody in a service that has none.
 */
export function physicianOf(
  { config }: { readonly config: Pick<Config, 'PHYSICIANS'> },
  order: Pick<Order, 'physician' | 'private'>,
): OrderPhysician | undefined {
  const own = PhysicianView.nullable().parse(order.physician);
  if (own) return own;
  const { address, shipping } = order.private;
  const state = (address ?? shipping)?.state;
  return config.PHYSICIANS.find(
    ({ licensed_states: states }) =>
      states.length === 0 || (state !== undefined && states.includes(state.toUpperCase())),
  );
}

/** Stops a start with physicians whom no laboratory would know. */
export function requirePhysicians({ PHYSICIANS }: Pick<Config, 'PHYSICIANS'>): void {
  const wrong = PHYSICIANS.filter(({ npi }) => !isNpi(npi));
  if (wrong.length === 0) return;
  throw new ConfigError(wrong.map(({ npi }) => `PHYSICIANS: the npi ${npi} has a wrong check digit`));
}

/** What is kept of a physician with an order. */
export const namedPhysician = ({ first_name, last_name, npi }: OrderPhysician): string =>
  JSON.stringify({ first_name, last_name, npi });

const DELEGATION_LABS = new Set(['labcorp', 'quest', 'sonora_quest']);
const DELEGATED_FLOWS = new Set(['order_delegated', 'fully_delegated']);

/** Whether orders through the account are signed by the team's own physicians. */
export const bringsPhysician = (account: Pick<LabAccount, 'delegatedFlow'> | undefined): boolean =>
  account !== undefined && DELEGATED_FLOWS.has(account.delegatedFlow);

export interface Signing {
  readonly account: LabAccount | undefined;
  readonly labSlug: string;
  readonly physician: OrderPhysician | null | undefined;
  readonly warn: Warn;
}

/** Teams with their own physicians name one; until the end of their grace period a warning takes the place of the refusal. */
export async function requirePhysician(work: Work, signing: Signing): Promise<void> {
  const { account, labSlug, physician, warn } = signing;
  if (physician) requireNpi(work, physician.npi, warn);
  if (physician || !account || !bringsPhysician(account) || !DELEGATION_LABS.has(labSlug)) return;
  const message = `Lab account ${account.id} is ${account.delegatedFlow}: at least one physician (first_name, last_name, npi) is required`;
  const grace = (await teamSettings(work)).physician_grace_until;
  if (grace === null || isoDay(work.now) > grace.slice(0, 10)) throw new DomainError('bad_request', message);
  warn(`${message} after ${grace}`);
}

function requireNpi(work: Work, npi: string, warn: Warn): void {
  if (isNpi(npi)) return;
  if (work.tenant.environment === 'production') {
    throw invalidField(['body', 'physician', 'npi'], 'expected an NPI of 10 digits with a valid check digit');
  }
  warn('physician.npi is not a valid NPI; production refuses it');
}
