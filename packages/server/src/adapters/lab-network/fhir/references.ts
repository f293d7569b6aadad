import type { z } from 'zod';
import { Bundle, createFhirError, parsePart, type FhirPath, type FhirReference } from './wire.ts';

/** A received resource and its location. */
export interface ReceivedFhirResource {
  readonly type: string;
  readonly body: unknown;
  readonly place: FhirPath;
  /** Contained resources, which only this resource can reference. */
  readonly contained: readonly ReceivedFhirResource[];
  readonly ids: readonly string[];
  readonly bareId: string | null;
}

export interface BundleResources {
  readonly bundle: z.output<typeof Bundle>;
  ofType(type: string): readonly ReceivedFhirResource[];
  /** Resolves a reference in the context of `from`; undefined if the target was not sent. */
  resolve(reference: FhirReference, from: ReceivedFhirResource): ReceivedFhirResource | undefined;
}

/** Indexes all resources of a bundle by the ids that references can use. */
export function indexBundle(given: unknown): BundleResources {
  const bundle = parsePart(Bundle, given, ['body']);
  const all = bundle.entry.flatMap(({ fullUrl, resource }, at) =>
    resource ? [toResource(resource, ['body', 'entry', at, 'resource'], fullUrl)] : [],
  );
  const byName = new Map<string, ReceivedFhirResource>();
  for (const each of all) {
    for (const id of each.ids) {
      if (byName.has(id) && byName.get(id)?.body !== each.body) {
        throw createFhirError(each.place, `two resources have the id ${id}`);
      }
      byName.set(id, each);
    }
  }
  addBareIds(byName, all);
  return {
    bundle,
    ofType: (type) => all.filter((each) => each.type === type),
    resolve: ({ reference = '' }, from) => {
      if (reference.startsWith('#')) return from.contained.find(({ ids }) => ids.includes(reference));
      const name = reference.replace(/\/_history\/[^/]*$/, '');
      // A relative reference can point to a resource with an absolute fullUrl.
      return byName.get(name) ?? (isRelative(name) ? findBySuffix(all, name) : undefined);
    },
  };
}

/**
 * Some senders reference `urn:uuid:` plus the plain id. Ids are unique only per type, so ambiguous ids are left out.
 */
function addBareIds(byName: Map<string, ReceivedFhirResource>, all: readonly ReceivedFhirResource[]): void {
  const bare = new Map<string, ReceivedFhirResource | null>();
  for (const each of all) {
    if (each.bareId !== null) bare.set(each.bareId, bare.has(each.bareId) ? null : each);
  }
  for (const [id, one] of bare) {
    const name = `urn:uuid:${id}`;
    if (one && !byName.has(name)) byName.set(name, one);
  }
}

const isRelative = (name: string) => /^[A-Za-z]+\/[A-Za-z0-9.-]+$/.test(name);

const findBySuffix = (all: readonly ReceivedFhirResource[], name: string) =>
  all.find(({ ids }) => ids.some((id) => id.endsWith(`/${name}`)));

type FhirResourceBody = {
  readonly resourceType: string;
  readonly id?: unknown;
  readonly contained?: unknown;
};

function toResource(
  body: FhirResourceBody,
  place: FhirPath,
  fullUrl: string | undefined,
): ReceivedFhirResource {
  const bareId = typeof body.id === 'string' ? body.id : null;
  const own = bareId === null ? [] : [`${body.resourceType}/${bareId}`];
  const inner = Array.isArray(body.contained) ? body.contained : [];
  return {
    type: body.resourceType,
    body,
    place,
    contained: inner.flatMap((each: unknown, at) => toContained(each, [...place, 'contained', at])),
    ids: [...new Set([...(fullUrl === undefined ? [] : [fullUrl]), ...own])],
    bareId,
  };
}

function toContained(given: unknown, place: FhirPath): ReceivedFhirResource[] {
  if (typeof given !== 'object' || given === null) return [];
  const { resourceType, id } = { resourceType: undefined, id: undefined, ...given };
  if (typeof resourceType !== 'string' || typeof id !== 'string') return [];
  return [{ type: resourceType, body: given, place, contained: [], ids: [`#${id}`, id], bareId: null }];
}
