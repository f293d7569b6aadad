import { found } from '../../platform/errors.ts';
import type { Work } from '../../platform/work.ts';
import { listLabs, type Lab } from '../catalog/catalog.ts';
import { getLabAccount, listActiveAccounts, type LabAccount } from '../lab-accounts/lab-accounts.ts';
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
import { stateOfZip } from './zip-prefixes.ts';

export { stateOfZip } from './zip-prefixes.ts';

/** Who knows where samples are taken: the slice that keeps sites and phlebotomists. */
export interface AreaSources {
  sites(work: Work, near: { lab: AreaLab; zip: string; radiusMiles: number }): Promise<Omit<Sites, 'radius'>>;
  phlebotomists(work: Work, at: { zip: string; state: string | undefined }): Promise<Phlebotomist[]>;
}

/** Which ways of taking a sample, and which ways of paying, a ZIP code has. */
export async function areaInfo(work: Work, query: AreaQuery, sources: AreaSources): Promise<AreaView> {
  const { zip_code: zip, radius } = query;
  const state = stateOfZip(zip);
  const account = query.lab_account_id ? await getLabAccount(work, query.lab_account_id) : undefined;
  const accounts = account ? [account] : await listActiveAccounts(work);
  const labs = new Map((await listLabs(work)).map((lab) => [lab.slug, lab]));
  const providers = await sources.phlebotomists(work, { zip, state });
  const central: AreaView['central_labs'] = {};
  for (const lab of labsOf(query, account)) {
    const sites = await sources.sites(work, { lab, zip, radiusMiles: Number(radius) });
    central[lab] = {
      patient_service_centers: { ...sites, radius },
      supported_bill_types: billsIn(state, lab, accounts),
      lab_id: found<Lab>(labs.get(lab), 'Lab').id,
    };
  }
  return { zip_code: zip, phlebotomy: { is_served: providers.length > 0, providers }, central_labs: central };
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

/** What one of the team's accounts takes in the state: an order goes through the one that takes its billing. */
function billsIn(state: string | undefined, lab: AreaLab, accounts: readonly LabAccount[]): Bill[] {
  if (state === undefined) return [];
  const own = accounts.filter(({ labSlug }) => labSlug === lab);
  if (own.length === 0) return [...OF_THE_PLATFORM];
  return BILLS.filter((bill) => own.some(({ allowedBilling }) => allowedBilling[bill]?.includes(state)));
}
