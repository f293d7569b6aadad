import type { z } from 'zod';
import { Bundle, fault, parsed, type Place, type Reference } from './wire.ts';

/** A resource as it was sent, and where. */
export interface Found {
  readonly type: string;
  readonly body: unknown;
  readonly place: Place;
  /** Those that it carries in itself, which only it can refer to. */
  readonly contained: readonly Found[];
  readonly ids: readonly string[];
  readonly bareId: string | null;
}

export interface Resources {
  readonly bundle: z.output<typeof Bundle>;
  ofType(type: string): readonly Found[];
  /** What a reference of `from` names; undefined where it names nothing that was sent. */
  resolve(reference: Reference, from: Found): Found | undefined;
}

/** All resources of a bundle, with the names under which they may be referred to. */
export function openBundle(given: unknown): Resources {
  const bundle = parsed(Bundle, given, ['body']);
  const all = bundle.entry.flatMap(({ fullUrl, resource }, at) =>
    resource ? [found(resource, ['body', 'entry', at, 'resource'], fullUrl)] : [],
  );
  const byName = new Map<string, Found>();
  for (const each of all) {
    for (const id of each.ids) {
      if (byName.has(id) && byName.get(id)?.body !== each.body) {
        throw fault(each.place, `two resources are named ${id}`);
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
      // A relative reference may be to a resource that stands under an absolute address.
      return byName.get(name) ?? (isRelative(name) ? ending(all, name) : undefined);
    },
  };
}

/** Some refer to `urn:uuid:` and the bare id. Ids are unique in their type only: one that two have names neither. */
function addBareIds(byName: Map<string, Found>, all: readonly Found[]): void {
  const bare = new Map<string, Found | null>();
  for (const each of all) {
    if (each.bareId !== null) bare.set(each.bareId, bare.has(each.bareId) ? null : each);
  }
  for (const [id, one] of bare) {
    const name = `urn:uuid:${id}`;
    if (one && !byName.has(name)) byName.set(name, one);
  }
}

const isRelative = (name: string) => /^[A-Za-z]+\/[A-Za-z0-9.-]+$/.test(name);

const ending = (all: readonly Found[], name: string) =>
  all.find(({ ids }) => ids.some((id) => id.endsWith(`/${name}`)));

type Body = { readonly resourceType: string; readonly id?: unknown; readonly contained?: unknown };

function found(body: Body, place: Place, fullUrl: string | undefined): Found {
  const bareId = typeof body.id === 'string' ? body.id : null;
  const own = bareId === null ? [] : [`${body.resourceType}/${bareId}`];
  const inner = Array.isArray(body.contained) ? body.contained : [];
  return {
    type: body.resourceType,
    body,
    place,
    contained: inner.flatMap((each: unknown, at) => containedOf(each, [...place, 'contained', at])),
    ids: [...new Set([...(fullUrl === undefined ? [] : [fullUrl]), ...own])],
    bareId,
  };
}

function containedOf(given: unknown, place: Place): Found[] {
  if (typeof given !== 'object' || given === null) return [];
  const { resourceType, id } = { resourceType: undefined, id: undefined, ...given };
  if (typeof resourceType !== 'string' || typeof id !== 'string') return [];
  return [{ type: resourceType, body: given, place, contained: [], ids: [`#${id}`, id], bareId: null }];
}
