import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { dataPath, type DataFolder } from './data-file.ts';
import { foldWords } from './fold.ts';

/** The clearinghouses by whose ids a payor can be found. */
export const externalProviders = [
  'change_healthcare',
  'availity',
  'stedi',
  'waystar',
  'claim_md',
  'apero',
  'pverify',
] as const;
export type ExternalProvider = (typeof externalProviders)[number];

const Address = z.object({
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
  org_address: Address,
  /** `public`: the known headquarters; `made`: a real city with a made street line. */
  address_basis: z.enum(['public', 'made']),
  external_ids: z.partialRecord(z.enum(externalProviders), z.string().min(1)),
});
export type Payor = z.infer<typeof Payor>;

const PayorFile = z.object({ about: z.string(), payors: z.array(Payor) });

/** What a search needs to know of a payor; a team's own payors have it too. */
export type Searchable = Pick<Payor, 'payor_code' | 'name' | 'aliases' | 'external_ids'>;

/** Everything given must fit. `providerPayorId` without `provider` is looked for with every provider. */
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

/** Nothing is read before the first question. */
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

/** The payors that fit, best first; equally good ones by name. */
export function searchPayors<P extends Searchable>(payors: readonly P[], query: PayorQuery): P[] {
  const { name, provider, providerPayorId, limit = 50 } = query;
  const wanted = name === undefined ? undefined : foldWords(name);
  return payors
    .filter((payor) => hasExternalId(payor, provider, providerPayorId))
    .map((payor) => ({ payor, rank: wanted === undefined ? 0 : rankOf(payor, wanted) }))
    .filter(({ rank }) => rank !== undefined)
    .sort((a, b) => (a.rank ?? 0) - (b.rank ?? 0) || a.payor.name.localeCompare(b.payor.name, 'en'))
    .slice(0, limit)
    .map(({ payor }) => payor);
}

function hasExternalId(payor: Searchable, provider?: ExternalProvider, id?: string): boolean {
  const wanted = id?.trim().toUpperCase();
  const asked = provider === undefined ? externalProviders : [provider];
  if (wanted === undefined) return provider === undefined || payor.external_ids[provider] !== undefined;
  return asked.some((one) => payor.external_ids[one]?.toUpperCase() === wanted);
}

/** Smaller is better; `undefined` does not fit. */
function rankOf(payor: Searchable, wanted: string[]): number | undefined {
  if (wanted.length === 0) return undefined;
  const names = [payor.name, ...payor.aliases].map(foldWords);
  const [name = []] = names;
  const text = wanted.join(' ');
  const tests = [
    () => foldWords(payor.payor_code).join(' ') === text,
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
