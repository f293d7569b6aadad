import { randomBytes } from 'node:crypto';
import type { Work } from '../../platform/work.ts';
import { searchPayors, type ExternalProvider, type Payor, type PayorDirectory } from './directory/payors.ts';
import type { CreatePayor } from './schema.ts';
import * as store from './store.ts';

/** A payor of the built-in directory, or one that the team created. */
type PayorRecord = Pick<Payor, 'payor_code' | 'name' | 'aliases' | 'external_ids'> & {
  readonly org_address: store.TeamPayorRow['address'];
  readonly source: 'platform' | 'team';
};

interface PayorFilter {
  readonly name: string | null | undefined;
  readonly provider: ExternalProvider | null | undefined;
  readonly providerPayorId: string | null | undefined;
}

/** Finds a payor by its code, case-insensitively. */
export async function findPayor(
  work: Work,
  directory: PayorDirectory,
  payorCode: string,
): Promise<PayorRecord | undefined> {
  const listed = directory.find(payorCode);
  if (listed) return fromDirectory(listed);
  const own = await store.findTeamPayor(work, payorCode.trim().toUpperCase());
  return own && fromTeamRow(own);
}

const MATCHES_MAX = 50;

/** The payors that match all given fields, best match first; blank fields are ignored. */
export async function matchPayors(
  work: Work,
  directory: PayorDirectory,
  { name, provider, providerPayorId }: PayorFilter,
): Promise<PayorRecord[]> {
  const own = await store.listTeamPayors(work);
  return searchPayors([...own.map(fromTeamRow), ...directory.all().map(fromDirectory)], {
    name: name?.trim() || undefined,
    provider: provider ?? undefined,
    providerPayorId: providerPayorId?.trim() || undefined,
    limit: MATCHES_MAX,
  });
}

export async function createPayor(work: Work, command: CreatePayor): Promise<PayorRecord> {
  const row = await store.insertTeamPayor(work, {
    payor_code: newPayorCode(),
    name: command.name,
    address: command.address,
    provider: command.provider ?? null,
    provider_payor_id: command.provider_payor_id ?? null,
  });
  return fromTeamRow(row);
}

const fromDirectory = (payor: Payor): PayorRecord => ({ ...payor, source: 'platform' });

const fromTeamRow = (row: store.TeamPayorRow): PayorRecord => ({
  payor_code: row.payor_code,
  name: row.name,
  aliases: [],
  org_address: row.address,
  external_ids:
    row.provider !== null && row.provider_payor_id !== null ? { [row.provider]: row.provider_payor_id } : {},
  source: 'team',
});

/** 32 unambiguous characters. 32 divides 256, so a random byte selects each with equal probability. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const CODE_LENGTH = 12;

/** `TP-` and 60 random bits: cannot collide with the directory, and in practice not with another team. */
const newPayorCode = (): string =>
  `TP-${Array.from(randomBytes(CODE_LENGTH), (byte) => ALPHABET[byte % ALPHABET.length]).join('')}`;
