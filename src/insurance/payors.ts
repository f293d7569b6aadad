import { randomBytes } from 'node:crypto';
import type { Work } from '../platform/work.ts';
import { searchPayors, type ExternalProvider, type Payor, type PayorDirectory } from './directory/payors.ts';
import type { CreatePayor } from './schema.ts';
import * as store from './store.ts';

/** A payor of the directory that ships with the service, or one of the team's own. */
export type KnownPayor = Pick<Payor, 'payor_code' | 'name' | 'aliases' | 'external_ids'> & {
  readonly org_address: store.TeamPayorRow['address'];
  readonly source: 'platform' | 'team';
};

export interface PayorQuestion {
  readonly name: string | null | undefined;
  readonly provider: ExternalProvider | null | undefined;
  readonly providerPayorId: string | null | undefined;
}

/** By its code, in whatever case. */
export async function findPayor(
  work: Work,
  directory: PayorDirectory,
  payorCode: string,
): Promise<KnownPayor | undefined> {
  const listed = directory.find(payorCode);
  if (listed) return ofPlatform(listed);
  const own = await store.findTeamPayor(work, payorCode.trim().toUpperCase());
  return own && ofTeam(own);
}

const MATCHES_MAX = 50;

/** The payors that fit everything that is asked, best first; an empty answer to a field does not ask. */
export async function matchPayors(
  work: Work,
  directory: PayorDirectory,
  { name, provider, providerPayorId }: PayorQuestion,
): Promise<KnownPayor[]> {
  const own = await store.listTeamPayors(work);
  return searchPayors([...own.map(ofTeam), ...directory.all().map(ofPlatform)], {
    name: name?.trim() || undefined,
    provider: provider ?? undefined,
    providerPayorId: providerPayorId?.trim() || undefined,
    limit: MATCHES_MAX,
  });
}

export async function createPayor(work: Work, command: CreatePayor): Promise<KnownPayor> {
  const row = await store.insertTeamPayor(work, {
    payor_code: newPayorCode(),
    name: command.name,
    address: command.address,
    provider: command.provider ?? null,
    provider_payor_id: command.provider_payor_id ?? null,
  });
  return ofTeam(row);
}

const ofPlatform = (payor: Payor): KnownPayor => ({ ...payor, source: 'platform' });

const ofTeam = (row: store.TeamPayorRow): KnownPayor => ({
  payor_code: row.payor_code,
  name: row.name,
  aliases: [],
  org_address: row.address,
  external_ids:
    row.provider !== null && row.provider_payor_id !== null ? { [row.provider]: row.provider_payor_id } : {},
  source: 'team',
});

/** 32 letters, none of which looks like a digit; so a random byte picks each with the same chance. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const CODE_LENGTH = 12;

/** `TP-` and 60 random bits: never the code of a payor in the directory, nor that of another team. */
const newPayorCode = (): string =>
  `TP-${Array.from(randomBytes(CODE_LENGTH), (byte) => ALPHABET[byte % ALPHABET.length]).join('')}`;
