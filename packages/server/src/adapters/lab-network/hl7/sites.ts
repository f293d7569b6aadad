import type { FieldReader, Hl7Segment } from './syntax.ts';

/** A performing laboratory from a ZPS segment. */
interface PerformingSite {
  readonly name: string | null;
  readonly clia: string | null;
}

export interface PerformingSites {
  /** The site that an OBX names in OBX-15, by name or code. */
  of(observation: Hl7Segment): PerformingSite | undefined;
  /** The site, if the message has exactly one. */
  readonly only: PerformingSite | undefined;
}

/** Searched in the whole segment, because the order of its fields differs between laboratories. */
const CLIA = /(?<![A-Z0-9])\d{2}D\d{7}(?![A-Z0-9])/;

/** ZPS is a de facto standard segment: ZPS-2 is the code used in results, ZPS-3 the name. */
export function readSites(read: FieldReader, segments: readonly Hl7Segment[]): PerformingSites {
  const told = segments.filter(({ name }) => name === 'ZPS');
  const sites = new Map<string, PerformingSite>();
  for (const segment of told) {
    const code = read.get(segment, 2);
    if (code !== null) sites.set(code, readSite(read, segment));
  }
  const [only, other] = told;
  return {
    only: only && !other ? readSite(read, only) : undefined,
    of: (observation) => {
      const [code, name] = [read.get(observation, 15), read.get(observation, 15, 2)];
      const site = code === null ? undefined : sites.get(code);
      return site || name !== null
        ? { name: name ?? site?.name ?? null, clia: site?.clia ?? null }
        : undefined;
    },
  };
}

const readSite = (read: FieldReader, segment: Hl7Segment): PerformingSite => ({
  name: read.get(segment, 3),
  clia: CLIA.exec(segment.fields.join('|'))?.[0] ?? null,
});
