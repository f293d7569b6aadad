import { requireFound } from '../../platform/errors.ts';
import type { Work } from '../../platform/work.ts';
import { listLabs } from '../../ordering/catalog/catalog.ts';
import {
  getLabAccount,
  listActiveAccounts,
  type LabAccount,
} from '../../ordering/lab-accounts/lab-accounts.ts';
import { getZipLocation, type ZipLocation } from '../zip-codes/zip-codes.ts';
import {
  AREA_LABS,
  AREA_BILLING_TYPES,
  type AreaLab,
  type AreaQuery,
  type AreaView,
  type AreaBillingType,
  type PhlebotomyProviderInfo,
  type ServiceCenterAreaDetails,
} from './schema.ts';

/** The patient service centers of a laboratory within a radius. */
type NearbyServiceCenters = Omit<ServiceCenterAreaDetails, 'radius'>;

/** Looks up patient service centers and phlebotomists; implemented by the module that stores them. */
export interface AreaSources {
  /** By the laboratory's slug; laboratories without a center may be missing. */
  findServiceCenters(
    work: Work,
    search: { labs: readonly AreaLab[]; near: ZipLocation['point']; radiusMiles: number },
  ): Promise<ReadonlyMap<string, NearbyServiceCenters>>;
  listPhlebotomists(work: Work, at: ZipLocation): Promise<PhlebotomyProviderInfo[]>;
}

const NO_SERVICE_CENTERS: NearbyServiceCenters = {
  appointment_with_vital: false,
  within_radius: 0,
  capabilities: [],
};

/** The collection methods and billing types available in a ZIP code. 404 for an unknown ZIP code. */
export async function getAreaInfo(work: Work, query: AreaQuery, sources: AreaSources): Promise<AreaView> {
  const place = getZipLocation(query.zip_code);
  const account = query.lab_account_id ? await getLabAccount(work, query.lab_account_id) : undefined;
  const slugs = selectLabs(query, account);
  const [accounts, labs, sites, providers] = await Promise.all([
    account ? [account] : listActiveAccounts(work),
    listLabs(work),
    sources.findServiceCenters(work, { labs: slugs, near: place.point, radiusMiles: Number(query.radius) }),
    sources.listPhlebotomists(work, place),
  ]);
  const idOf = new Map(labs.map(({ slug, id }) => [slug, id]));
  const central = slugs.map((lab) => ({
    lab,
    patient_service_centers: { ...(sites.get(lab) ?? NO_SERVICE_CENTERS), radius: query.radius },
    supported_bill_types: listSupportedBillings(place.state, lab, accounts),
    lab_id: requireFound(idOf.get(lab), 'Lab'),
  }));
  return {
    zip_code: query.zip_code,
    phlebotomy: { is_served: providers.length > 0, providers },
    central_labs: Object.fromEntries(central.map(({ lab, ...info }) => [lab, info])),
  };
}

/** The laboratories that match every given filter. */
function selectLabs({ lab, labs }: AreaQuery, account: LabAccount | undefined): AreaLab[] {
  return AREA_LABS.filter(
    (slug) =>
      (!lab || slug === lab) &&
      (!labs || labs.length === 0 || labs.includes(slug)) &&
      (!account || slug === account.labSlug),
  );
}

/** The billing types of the platform's own accounts, in every state. */
const PLATFORM_BILLINGS: readonly AreaBillingType[] = ['client_bill', 'commercial_insurance'];

/**
 * The billing types that at least one of the accounts with the laboratory accepts in the state: an order uses the
 * account that accepts its billing. Without such an account, those of the platform's own account.
 */
export function listSupportedBillings(
  state: string | undefined,
  lab: string,
  accounts: readonly Pick<LabAccount, 'labSlug' | 'allowedBilling'>[],
): AreaBillingType[] {
  if (state === undefined) return [];
  const own = accounts.filter(({ labSlug }) => labSlug === lab);
  if (own.length === 0) return [...PLATFORM_BILLINGS];
  return AREA_BILLING_TYPES.filter((bill) =>
    own.some(({ allowedBilling }) => allowedBilling[bill]?.includes(state)),
  );
}
