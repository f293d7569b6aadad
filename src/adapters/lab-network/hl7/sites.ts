import type { FieldReader, Segment } from './syntax.ts';

/** A laboratory of several that work together, as ZPS tells of it. */
export interface Site {
  readonly name: string | null;
  readonly clia: string | null;
}

export interface Sites {
  /** The one that an OBX names in OBX-15, in words or by its code. */
  of(observation: Segment): Site | undefined;
  /** The one that has to be meant where nothing is named. */
  readonly only: Site | undefined;
}

/** Beside fields for the address and the director, which stand in another order at each laboratory. */
const CLIA = /(?<![A-Z0-9])\d{2}D\d{7}(?![A-Z0-9])/;

/** ZPS is no segment of the standard and nearly one: ZPS-2 is the code that results name it by, ZPS-3 its name. */
export function sitesOf(read: FieldReader, segments: readonly Segment[]): Sites {
  const told = segments.filter(({ name }) => name === 'ZPS');
  const sites = new Map<string, Site>();
  for (const segment of told) {
    const code = read.get(segment, 2);
    if (code !== null) sites.set(code, siteIn(read, segment));
  }
  const [only, other] = told;
  return {
    only: only && !other ? siteIn(read, only) : undefined,
    of: (observation) => {
      const [code, name] = [read.get(observation, 15), read.get(observation, 15, 2)];
      const site = code === null ? undefined : sites.get(code);
      return site || name !== null
        ? { name: name ?? site?.name ?? null, clia: site?.clia ?? null }
        : undefined;
    },
  };
}

const siteIn = (read: FieldReader, segment: Segment): Site => ({
  name: read.get(segment, 3),
  clia: CLIA.exec(segment.fields.join('|'))?.[0] ?? null,
});
