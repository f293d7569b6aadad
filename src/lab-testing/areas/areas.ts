import { found } from '../../platform/errors.ts';
import type { Work } from '../../platform/work.ts';
import { listLabs } from '../catalog/catalog.ts';
import { getLabAccount, listActiveAccounts, type LabAccount } from '../lab-accounts/lab-accounts.ts';
import { getZipPlace, type ZipPlace } from '../zip-codes/zip-codes.ts';
import {
  AREA_LABS,
  BILLS,
  type AreaLab,
  type AreaQuery,
  type AreaView,
  type Bill,
  type Phlebotomist,
  type Sites,
} from './schema.ts';

/** What a laboratory has within a radius. */
export type SitesNear = Omit<Sites, 'radius'>;

/** Who knows where samples are taken: the slice that keeps sites and phlebotomists. */
export interface AreaSources {
  /** By the laboratory's slug; one that has no site there may be left out. */
  sites(
    work: Work,
    search: { labs: readonly AreaLab[]; near: ZipPlace['point']; radiusMiles: number },
  ): Promise<ReadonlyMap<string, SitesNear>>;
  phlebotomists(work: Work, at: ZipPlace): Promise<Phlebotomist[]>;
}

const NO_SITES: SitesNear = { appointment_with_vital: false, within_radius: 0, capabilities: [] };

/** Which ways of taking a sample, and which ways of paying, a ZIP code has. 404 for one that is nowhere. */
export async function areaInfo(work: Work, query: AreaQuery, sources: AreaSources): Promise<AreaView> {
  const place = getZipPlace(query.zip_code);
  const account = query.lab_account_id ? await getLabAccount(work, query.lab_account_id) : undefined;
  const slugs = labsOf(query, account);
  const [accounts, labs, sites, providers] = await Promise.all([
    account ? [account] : listActiveAccounts(work),
    listLabs(work),
    sources.sites(work, { labs: slugs, near: place.point, radiusMiles: Number(query.radius) }),
    sources.phlebotomists(work, place),
  ]);
  const idOf = new Map(labs.map(({ slug, id }) => [slug, id]));
  const central = slugs.map((lab) => ({
    lab,
    patient_service_centers: { ...(sites.get(lab) ?? NO_SITES), radius: query.radius },
    supported_bill_types: billsIn(place.state, lab, accounts),
    lab_id: found(idOf.get(lab), 'Lab'),
  }));
  return {
    zip_code: query.zip_code,
    phlebotomy: { is_served: providers.length > 0, providers },
    central_labs: Object.fromEntries(central.map(({ lab, ...info }) => [lab, info])),
  };
}

/** Those that every given filter leaves. */
function labsOf({ lab, labs }: AreaQuery, account: LabAccount | undefined): AreaLab[] {
  return AREA_LABS.filter(
    (slug) =>
      (!lab || slug === lab) &&
      (!labs || labs.length === 0 || labs.includes(slug)) &&
      (!account || slug === account.labSlug),
  );
}

/** Of a laboratory at which the team has no account the platform's own takes these, in every state. */
const OF_THE_PLATFORM: readonly Bill[] = ['client_bill', 'commercial_insurance'];

/**
 * What one of these accounts takes in the state: an order goes through the one that takes its billing. Of the accounts
 * those count that are with the laboratory; where none is, the platform's own.
 */
export function billsIn(
  state: string | undefined,
  lab: string,
  accounts: readonly Pick<LabAccount, 'labSlug' | 'allowedBilling'>[],
): Bill[] {
  if (state === undefined) return [];
  const own = accounts.filter(({ labSlug }) => labSlug === lab);
  if (own.length === 0) return [...OF_THE_PLATFORM];
  return BILLS.filter((bill) => own.some(({ allowedBilling }) => allowedBilling[bill]?.includes(state)));
}
