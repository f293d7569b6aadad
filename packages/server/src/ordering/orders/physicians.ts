import { isNpi } from '../../people/schema.ts';
import { listServicePhysicians, readTeamSettings } from '../../identity/management/management.ts';
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

/** Adds a warning to a successful response. */
export type WarningReporter = (message: string) => void;

/**
 * The ordering physician for the requisition: the one on the order, else the service's first physician licensed in the
 * patient's state (PHYSICIANS). Undefined if there is none.
 */
export function physicianOf(
  { config }: { readonly config: Pick<Config, 'PHYSICIANS'> },
  { tenant }: Pick<Work, 'tenant'>,
  order: Pick<Order, 'physician' | 'private'>,
): OrderPhysician | undefined {
  const own = PhysicianView.nullable().parse(order.physician);
  if (own) return own;
  const { address, shipping } = order.private;
  const state = (address ?? shipping)?.state;
  return listServicePhysicians(config, tenant).find(
    ({ licensed_states: states }) =>
      states.length === 0 || (state !== undefined && states.includes(state.toUpperCase())),
  );
}

/** Stops the start of the service if a configured physician has an invalid NPI. */
export function requireValidPhysicians({ PHYSICIANS }: Pick<Config, 'PHYSICIANS'>): void {
  const wrong = PHYSICIANS.filter(({ npi }) => !isNpi(npi));
  if (wrong.length === 0) return;
  throw new ConfigError(wrong.map(({ npi }) => `PHYSICIANS: the npi ${npi} has a wrong check digit`));
}

/** The physician as stored with the order. */
export const serializePhysician = ({ first_name, last_name, npi }: OrderPhysician): string =>
  JSON.stringify({ first_name, last_name, npi });

const DELEGATION_LABS = new Set(['labcorp', 'quest', 'sonora_quest']);
const DELEGATED_FLOWS = new Set(['order_delegated', 'fully_delegated']);

/** Whether orders through the account are signed by the team's own physicians, not by the service's. */
export const usesTeamPhysician = (account: Pick<LabAccount, 'delegatedFlow'> | undefined): boolean =>
  account !== undefined && DELEGATED_FLOWS.has(account.delegatedFlow);

interface PhysicianRequirement {
  readonly account: LabAccount | undefined;
  readonly labSlug: string;
  readonly physician: OrderPhysician | null | undefined;
  readonly warn: WarningReporter;
}

/** Orders through a delegated account need the team's own physician. During the grace period: a warning, not a 400. */
export async function requirePhysician(work: Work, signing: PhysicianRequirement): Promise<void> {
  const { account, labSlug, physician, warn } = signing;
  if (physician) requireNpi(work, physician.npi, warn);
  if (physician || !account || !usesTeamPhysician(account) || !DELEGATION_LABS.has(labSlug)) return;
  const message = `Lab account ${account.id} is ${account.delegatedFlow}: at least one physician (first_name, last_name, npi) is required`;
  const grace = (await readTeamSettings(work)).physician_grace_until;
  if (grace === null || isoDay(work.now) > grace.slice(0, 10)) throw new DomainError('bad_request', message);
  warn(`${message} after ${grace}`);
}

function requireNpi(work: Work, npi: string, warn: WarningReporter): void {
  if (isNpi(npi)) return;
  if (work.tenant.environment === 'production') {
    throw invalidField(['body', 'physician', 'npi'], 'expected an NPI of 10 digits with a valid check digit');
  }
  warn('physician.npi is not a valid NPI; production rejects it');
}
