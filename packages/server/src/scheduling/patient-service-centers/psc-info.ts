import { isUnitedStates } from '../../people/schema.ts';
import { DomainError, requireFound } from '../../platform/errors.ts';
import type { Work } from '../../platform/work.ts';
import { listSupportedBillings } from '../areas/areas.ts';
import { listLabs, type Lab } from '../../ordering/catalog/catalog.ts';
import {
  getLabAccount,
  listActiveAccounts,
  type LabAccount,
} from '../../ordering/lab-accounts/lab-accounts.ts';
import { findOrderLabAccount, getOrder, type Order } from '../../ordering/orders/orders.ts';
import { getZipLocation, locateZip, type ZipLocation } from '../zip-codes/zip-codes.ts';
import { findSitesNear } from './patient-service-centers.ts';
import { viewSite, type OrderPscQuery, type PscInfo, type PscQuery } from './schema.ts';

/**
 * A laboratory's sites near a ZIP code. 404 for an unknown laboratory, account or ZIP code; 400 for a laboratory
 * without patient service centers, and for an account with another laboratory.
 */
export async function getPscInfo(work: Work, query: PscQuery): Promise<PscInfo> {
  const place = getZipLocation(query.zip_code);
  const lab = await getLabWithSites(work, query.lab_id);
  const accounts = query.lab_account_id
    ? [requireAccountOfLab(lab, await getLabAccount(work, query.lab_account_id))]
    : await listActiveAccounts(work);
  return readPscInfo(work, { lab, place, accounts, filter: query });
}

function requireAccountOfLab({ slug }: Lab, account: LabAccount): LabAccount {
  if (account.labSlug !== slug) {
    throw new DomainError(
      'bad_request',
      `Lab account ${account.id} belongs to ${account.labSlug}, not ${slug}`,
    );
  }
  return account;
}

/** The same for a walk-in order: near the patient's address, with the billing of the order's account. */
export async function getOrderPscInfo(work: Work, orderId: string, filter: OrderPscQuery): Promise<PscInfo> {
  const order = await getOrder(work, orderId);
  if (order.modality !== 'walk_in_test') {
    throw new DomainError(
      'bad_request',
      `Order ${order.id} is collected by ${order.modality}, not at a patient service center`,
    );
  }
  const place = locatePatient(order);
  const [lab, account] = await Promise.all([
    getLabWithSites(work, order.lab_id),
    findOrderLabAccount(work, order),
  ]);
  return readPscInfo(work, { lab, place, accounts: account ? [account] : [], filter });
}

function locatePatient({ id, private: { address } }: Order): ZipLocation {
  const place = address && isUnitedStates(address.country) ? locateZip(address.zip) : undefined;
  if (!place) {
    throw new DomainError('bad_request', `Order ${id} has no patient address with a known US ZIP code`);
  }
  return place;
}

async function getLabWithSites(work: Work, labId: number): Promise<Lab> {
  const labs = await listLabs(work);
  const lab = requireFound(
    labs.find(({ id }) => id === labId),
    'Lab',
  );
  if (!lab.collectionMethods.includes('walk_in_test')) {
    throw new DomainError('bad_request', `Lab ${lab.slug} has no patient service centers`);
  }
  return lab;
}

interface NearbySitesInput {
  readonly lab: Lab;
  readonly place: ZipLocation;
  readonly accounts: readonly LabAccount[];
  readonly filter: OrderPscQuery;
}

async function readPscInfo(work: Work, { lab, place, accounts, filter }: NearbySitesInput): Promise<PscInfo> {
  const sites = await findSitesNear(work, {
    lab: lab.id,
    near: place.point,
    radiusMiles: Number(filter.radius),
    capabilities: filter.capabilities,
  });
  const billed = (state: string) => listSupportedBillings(state, lab.slug, accounts);
  return {
    lab_id: lab.id,
    slug: lab.slug,
    patient_service_centers: sites.map((site) => viewSite(site, billed)),
  };
}
