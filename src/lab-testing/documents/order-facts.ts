import type { z } from 'zod';
import type { App } from '../../app.ts';
import { teamSettings } from '../../management/management.ts';
import { DomainError } from '../../platform/errors.ts';
import type { Work } from '../../platform/work.ts';
import { LabTestView } from '../catalog/schema.ts';
import type { LabAccount } from '../lab-accounts/lab-accounts.ts';
import { accountOf, getOrder, physicianOf, type Order, type OrderPhysician } from '../orders/orders.ts';
import { topLevel } from '../orders/status.ts';

export type OrderedLabTest = z.output<typeof LabTestView>;

/** Whom a patient may ask, as the team has told it. */
export interface Sender {
  readonly name: string;
  readonly contact: string;
}

/** What every paper of an order is made of. */
export interface OrderFacts {
  readonly order: Order;
  /** The lab test as it was ordered. */
  readonly test: OrderedLabTest;
  /** Undefined is the platform's own. */
  readonly account: LabAccount | undefined;
  readonly physician: OrderPhysician | undefined;
  readonly sender: Sender;
}

export const readOrderFacts = async (app: App, work: Work, orderId: string): Promise<OrderFacts> =>
  factsOfOrder(app, work, await getOrder(work, orderId));

export async function factsOfOrder(app: App, work: Work, order: Order): Promise<OrderFacts> {
  const [account, sender] = await Promise.all([accountOf(work, order), readSender(work)]);
  return {
    order,
    test: LabTestView.parse(order.lab_test),
    account,
    physician: physicianOf(app, order),
    sender,
  };
}

export async function readSender(work: Work): Promise<Sender> {
  const { brand_information: brand } = await teamSettings(work);
  const contact = [brand?.support_contact, brand?.support_email, brand?.company_website].find(Boolean);
  return { name: brand?.company_name ?? '', contact: contact ?? '' };
}

/** 404 for an order that has no requisition yet, or never will: an imported one. */
export function requireRequisition({ events }: Order): void {
  if (events.some(({ step }) => step === 'requisition_created')) return;
  throw new DomainError('not_found', 'Requisition not found: the order has none, or none yet');
}

export const isCancelled = ({ modality, step }: Order): boolean => topLevel(modality, step) === 'cancelled';

/** When the specimen was taken, as far as the journey tells. */
export const collectedAt = ({ events }: Order): Date | undefined =>
  events.find(({ step }) => step === 'draw_completed')?.created_at;
