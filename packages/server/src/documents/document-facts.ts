import type { z } from 'zod';
import type { App } from '../app.ts';
import { readTeamSettings } from '../identity/management/management.ts';
import { DomainError } from '../platform/errors.ts';
import type { Work } from '../platform/work.ts';
import type { LaboratoryIdentity } from '../adapters/lab-network/port.ts';
import { getLabTest } from '../ordering/catalog/catalog.ts';
import { LabTestView } from '../ordering/catalog/schema.ts';
import type { LabAccount } from '../ordering/lab-accounts/lab-accounts.ts';
import {
  findOrderLabAccount,
  getOrder,
  physicianOf,
  type Order,
  type OrderPhysician,
} from '../ordering/orders/orders.ts';
import { topLevel } from '../ordering/orders/status.ts';

export type OrderedLabTest = z.output<typeof LabTestView>;

/** Contact for patients, from the team's brand settings. */
export interface DocumentSender {
  readonly name: string;
  readonly contact: string;
}

/** The data that all documents of an order share. */
export interface DocumentFacts {
  readonly order: Order;
  /** Snapshot of the lab test at the time of the order. */
  readonly test: OrderedLabTest;
  /** As in the catalog today. */
  readonly laboratory: LaboratoryIdentity;
  /** Undefined for the platform's own account. */
  readonly account: LabAccount | undefined;
  readonly physician: OrderPhysician | undefined;
  readonly sender: DocumentSender;
}

export const readDocumentFacts = async (app: App, work: Work, orderId: string): Promise<DocumentFacts> =>
  toDocumentFacts(app, work, await getOrder(work, orderId));

export async function toDocumentFacts(app: App, work: Work, order: Order): Promise<DocumentFacts> {
  const [account, sender, { lab }] = await Promise.all([
    findOrderLabAccount(work, order),
    readSender(work),
    getLabTest(work, order.lab_test_id),
  ]);
  return {
    order,
    test: LabTestView.parse(order.lab_test),
    laboratory: { clia: lab.clia, director: lab.director },
    account,
    physician: physicianOf(app, work, order),
    sender,
  };
}

export async function readSender(work: Work): Promise<DocumentSender> {
  const { brand_information: brand } = await readTeamSettings(work);
  const contact = [brand?.support_contact, brand?.support_email, brand?.company_website].find(Boolean);
  return { name: brand?.company_name ?? '', contact: contact ?? '' };
}

/** 404 for an order without a requisition: it has none yet, or it was imported. */
export function requireRequisition({ events }: Order): void {
  if (events.some(({ step }) => step === 'requisition_created')) return;
  throw new DomainError('not_found', 'Requisition not found: the order has none yet, or was imported');
}

export const isCancelled = ({ modality, step }: Order): boolean => topLevel(modality, step) === 'cancelled';

/** When the specimen was collected, if an event of the order records it. */
export const collectedAt = ({ events }: Order): Date | undefined =>
  events.find(({ step }) => step === 'draw_completed')?.created_at;
