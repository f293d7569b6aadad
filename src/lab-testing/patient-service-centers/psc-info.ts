import { isUnitedStates } from '../../people/schema.ts';
import { DomainError, found } from '../../platform/errors.ts';
import type { Work } from '../../platform/work.ts';
import { billsIn } from '../areas/areas.ts';
import { listLabs, type Lab } from '../catalog/catalog.ts';
import { getLabAccount, listActiveAccounts, type LabAccount } from '../lab-accounts/lab-accounts.ts';
import { accountOf, getOrder, type Order } from '../orders/orders.ts';
import { getZipPlace, locateZip, type ZipPlace } from '../zip-codes/zip-codes.ts';
import { findSitesNear } from './patient-service-centers.ts';
import { viewSite, type OrderPscQuery, type PscInfo, type PscQuery } from './schema.ts';

/**
 * A laboratory's sites near a ZIP code. 404 for a laboratory, an account or a ZIP code that is not there; 400 for a
 * laboratory without sites, and for an account that is with another one.
 */
export async function pscInfo(work: Work, query: PscQuery): Promise<PscInfo> {
  const place = getZipPlace(query.zip_code);
  const lab = await getLabOfSites(work, query.lab_id);
  const accounts = query.lab_account_id
    ? [accountAt(lab, await getLabAccount(work, query.lab_account_id))]
    : await listActiveAccounts(work);
  return sitesNear(work, { lab, place, accounts, filter: query });
}

function accountAt({ slug }: Lab, account: LabAccount): LabAccount {
  if (account.labSlug !== slug) {
    throw new DomainError('bad_request', `Lab account ${account.id} is with ${account.labSlug}, not ${slug}`);
  }
  return account;
}

/** The same for a walk-in order, near the patient's address and by the order's account. */
export async function orderPscInfo(work: Work, orderId: string, filter: OrderPscQuery): Promise<PscInfo> {
  const order = await getOrder(work, orderId);
  if (order.modality !== 'walk_in_test') {
    throw new DomainError(
      'bad_request',
      `Order ${order.id} is collected by ${order.modality}, not at a patient service center`,
    );
  }
  const place = placeOfPatient(order);
  const [lab, account] = await Promise.all([getLabOfSites(work, order.lab_id), accountOf(work, order)]);
  return sitesNear(work, { lab, place, accounts: account ? [account] : [], filter });
}

function placeOfPatient({ id, private: { address } }: Order): ZipPlace {
  const place = address && isUnitedStates(address.country) ? locateZip(address.zip) : undefined;
  if (!place) {
    throw new DomainError(
      'bad_request',
      `Order ${id} has no patient address with a ZIP code that has a place`,
    );
  }
  return place;
}

async function getLabOfSites(work: Work, labId: number): Promise<Lab> {
  const labs = await listLabs(work);
  const lab = found(
    labs.find(({ id }) => id === labId),
    'Lab',
  );
  if (!lab.collectionMethods.includes('walk_in_test')) {
    throw new DomainError('bad_request', `Lab ${lab.slug} has no patient service centers`);
  }
  return lab;
}

interface Near {
  readonly lab: Lab;
  readonly place: ZipPlace;
  readonly accounts: readonly LabAccount[];
  readonly filter: OrderPscQuery;
}

async function sitesNear(work: Work, { lab, place, accounts, filter }: Near): Promise<PscInfo> {
  const sites = await findSitesNear(work, {
    lab: lab.id,
    near: place.point,
    radiusMiles: Number(filter.radius),
    capabilities: filter.capabilities,
  });
  const billed = (state: string) => billsIn(state, lab.slug, accounts);
  return {
    lab_id: lab.id,
    slug: lab.slug,
    patient_service_centers: sites.map((site) => viewSite(site, billed)),
  };
}
