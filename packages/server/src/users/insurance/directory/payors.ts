import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { dataPath, type DataFolder } from './data-file.ts';
import { tokenize } from './tokenize.ts';

/** The clearinghouses whose payor ids can be searched for. */
export const EXTERNAL_PROVIDERS = [
  'change_healthcare',
  'availity',
  'stedi',
  'waystar',
  'claim_md',
  'apero',
  'pverify',
] as const;
export type ExternalProvider = (typeof EXTERNAL_PROVIDERS)[number];

const PayorAddress = z.object({
  first_line: z.string(),
  second_line: z.string(),
  city: z.string(),
  state: z.string().length(2),
  zip: z.string().regex(/^\d{5}$/),
  country: z.string(),
});

const Payor = z.object({
  payor_code: z.string().regex(/^AQ-\d{5}$/),
  name: z.string().min(1),
  aliases: z.array(z.string().min(1)),
  org_address: PayorAddress,
  /** `public`: the known headquarters; `made`: a real city with an invented street line. */
  address_basis: z.enum(['public', 'made']),
  external_ids: z.partialRecord(z.enum(EXTERNAL_PROVIDERS), z.string().min(1)),
});
export type Payor = z.infer<typeof Payor>;

const PayorFile = z.object({ about: z.string(), payors: z.array(Payor) });

/** The fields that a search needs; the team's own payors have them too. */
type SearchablePayor = Pick<Payor, 'payor_code' | 'name' | 'aliases' | 'external_ids'>;

/** All given fields must match. `providerPayorId` without `provider` searches all providers. */
export interface PayorQuery {
  name?: string | undefined;
  provider?: ExternalProvider | undefined;
  providerPayorId?: string | undefined;
  limit?: number | undefined;
}

export interface PayorDirectory {
  find: (payorCode: string) => Payor | undefined;
  search: (query: PayorQuery) => Payor[];
  all: () => readonly Payor[];
}

/** Loads the file on first use. */
export function openPayorDirectory(folder: DataFolder): PayorDirectory {
  let loaded: { payors: Payor[]; byCode: Map<string, Payor> } | undefined;
  const load = () => (loaded ??= readPayors(dataPath(folder, 'payors.json')));
  return {
    find: (payorCode) => load().byCode.get(payorCode.trim().toUpperCase()),
    search: (query) => searchPayors(load().payors, query),
    all: () => load().payors,
  };
}

function readPayors(path: string): { payors: Payor[]; byCode: Map<string, Payor> } {
  const { payors } = PayorFile.parse(JSON.parse(readFileSync(path, 'utf8')));
  const byCode = new Map(payors.map((payor) => [payor.payor_code, payor]));
  if (byCode.size !== payors.length) throw new Error(`${path}: expected every payor_code once`);
  return { payors, byCode };
}

/** The payors that match, best match first, then by name. */
export function searchPayors<P extends SearchablePayor>(payors: readonly P[], query: PayorQuery): P[] {
  const { name, provider, providerPayorId, limit = 50 } = query;
  const wanted = name === undefined ? undefined : tokenize(name);
  return payors
    .filter((payor) => hasExternalId(payor, provider, providerPayorId))
    .map((payor) => ({ payor, rank: wanted === undefined ? 0 : rankOf(payor, wanted) }))
    .filter(({ rank }) => rank !== undefined)
    .sort((a, b) => (a.rank ?? 0) - (b.rank ?? 0) || a.payor.name.localeCompare(b.payor.name, 'en'))
    .slice(0, limit)
    .map(({ payor }) => payor);
}

function hasExternalId(payor: SearchablePayor, provider?: ExternalProvider, id?: string): boolean {
  const wanted = id?.trim().toUpperCase();
  const asked = provider === undefined ? EXTERNAL_PROVIDERS : [provider];
  if (wanted === undefined) return provider === undefined || payor.external_ids[provider] !== undefined;
  return asked.some((one) => payor.external_ids[one]?.toUpperCase() === wanted);
}

/** The rank of a match, smaller is better; undefined for no match. */
function rankOf(payor: SearchablePayor, wanted: string[]): number | undefined {
  if (wanted.length === 0) return undefined;
  const names = [payor.name, ...payor.aliases].map(tokenize);
  const [name = []] = names;
  const text = wanted.join(' ');
  const tests = [
    () => tokenize(payor.payor_code).join(' ') === text,
    () => name.join(' ') === text,
    () => names.some((one) => one.join(' ') === text),
    () => name.join(' ').startsWith(text),
    () => names.some((one) => one.join(' ').startsWith(text)),
    () => hasWords(name, wanted),
    () => names.some((one) => hasWords(one, wanted)),
    () => hasWords(names.flat(), wanted),
  ];
  const rank = tests.findIndex((fits) => fits());
  return rank === -1 ? undefined : rank;
}

const hasWords = (words: string[], wanted: string[]): boolean =>
  wanted.every((start) => words.some((word) => word.startsWith(start)));
