import type { AttributePath, ScimOperator, ScimFilter, ScimLiteral } from './filter.ts';
import { resolveAttribute, type ResourceSchema, type ScimAttribute } from './scim-schema.ts';

/** What a comparison reads: an attribute of a resource or, inside brackets, of one value. */
export interface FilterTarget {
  readonly attribute: ScimAttribute;
  readonly sub: ScimAttribute | undefined;
}

/** A filter whose attributes exist and whose values have the type of their attribute. */
export type BoundFilter =
  | {
      readonly kind: 'compare';
      readonly target: FilterTarget;
      readonly operator: ScimOperator;
      readonly value: string | boolean | Date;
    }
  | { readonly kind: 'present'; readonly target: FilterTarget }
  | { readonly kind: 'and' | 'or'; readonly filters: readonly BoundFilter[] }
  | { readonly kind: 'not'; readonly filter: BoundFilter }
  | { readonly kind: 'values'; readonly attribute: ScimAttribute; readonly filter: BoundFilter };

/** The simple attribute that is compared: `emails` alone means its `value`. */
export const comparedOf = ({ attribute, sub }: FilterTarget): ScimAttribute => sub ?? attribute;

interface FilterScope {
  readonly find: (path: AttributePath) => FilterTarget | undefined;
  readonly refuse: (reason: string) => Error;
}

/** Binds a filter to a resource; throws what `refuse` makes of the reason. */
export const bindFilter = (
  resource: ResourceSchema,
  filter: ScimFilter,
  refuse: FilterScope['refuse'],
): BoundFilter =>
  bind(filter, {
    refuse,
    find: (path) => {
      const found = resolveAttribute(resource, path);
      return found === 'ignored' ? undefined : found;
    },
  });

/** Binds the filter in the brackets of a multi-valued attribute. */
export const bindValueFilter = (
  { name, subAttributes = [] }: ScimAttribute,
  filter: ScimFilter,
  refuse: FilterScope['refuse'],
): BoundFilter =>
  bind(filter, {
    refuse: (reason) => refuse(`in ${name}[]: ${reason}`),
    find: ({ attribute: wanted, sub }) => {
      const attribute = subAttributes.find((one) => one.name.toLowerCase() === wanted.toLowerCase());
      return attribute && sub === undefined ? { attribute, sub } : undefined;
    },
  });

function bind(filter: ScimFilter, scope: FilterScope): BoundFilter {
  switch (filter.kind) {
    case 'and':
    case 'or':
      return { kind: filter.kind, filters: filter.filters.map((one) => bind(one, scope)) };
    case 'not':
      return { kind: 'not', filter: bind(filter.filter, scope) };
    case 'present':
      return { kind: 'present', target: requireTarget(filter.path, scope) };
    case 'values': {
      const { attribute } = requireTarget(filter.path, scope);
      if (!attribute.multiValued) throw scope.refuse(`${attribute.name} has only one value`);
      return { kind: 'values', attribute, filter: bindValueFilter(attribute, filter.filter, scope.refuse) };
    }
    case 'compare':
      return bindComparison(filter, scope);
  }
}

function requireTarget(path: AttributePath, { find, refuse }: FilterScope): FilterTarget {
  const found = find(path);
  const name = path.sub === undefined ? path.attribute : `${path.attribute}.${path.sub}`;
  if (!found) throw refuse(`there is no attribute ${name}`);
  // URLs and versions are computed, not stored.
  const { type } = comparedOf(found);
  if (type === 'reference' || found.sub?.name === 'version') throw refuse(`${name} cannot be searched`);
  return found;
}

const ORDERED: ReadonlySet<ScimOperator> = new Set(['eq', 'ne', 'gt', 'ge', 'lt', 'le']);
const EQUALITY: ReadonlySet<ScimOperator> = new Set(['eq', 'ne']);

function bindComparison(
  { path, operator, value }: Extract<ScimFilter, { kind: 'compare' }>,
  scope: FilterScope,
): BoundFilter {
  const found = requireTarget(path, scope);
  const target = found.sub ? found : withValue(found);
  const { name, type } = comparedOf(target);
  if (type === 'complex') throw scope.refuse(`${name} has parts: compare one of them`);
  if (value === null) {
    if (!EQUALITY.has(operator)) throw scope.refuse(`null can only be compared by eq and ne`);
    const present: BoundFilter = { kind: 'present', target: found };
    return operator === 'ne' ? present : { kind: 'not', filter: present };
  }
  if (type === 'boolean' && !EQUALITY.has(operator)) throw scope.refuse(`${name} has only eq and ne`);
  if (type === 'dateTime' && !ORDERED.has(operator)) throw scope.refuse(`${name} does not have ${operator}`);
  const typed = TYPED[type](value);
  if (typed === undefined) throw scope.refuse(`${name} is compared with a ${type}`);
  return { kind: 'compare', target, operator, value: typed };
}

/** The default part of a complex attribute is its `value` (RFC 7643, 2.4). */
function withValue(target: FilterTarget): FilterTarget {
  const sub = target.attribute.subAttributes?.find(({ name }) => name === 'value');
  return sub ? { ...target, sub } : target;
}

const DATE = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,9})?(Z|[+-]\d{2}:\d{2})$/;

const toText = (value: ScimLiteral) => (typeof value === 'string' ? value : undefined);

const TYPED: Record<
  ScimAttribute['type'],
  (value: Exclude<ScimLiteral, null>) => string | boolean | Date | undefined
> = {
  string: toText,
  reference: toText,
  complex: () => undefined,
  // Entra ID writes booleans as strings.
  boolean: (value) => {
    const text = String(value).toLowerCase();
    return text === 'true' || text === 'false' ? text === 'true' : undefined;
  },
  dateTime: (value) => {
    const date = typeof value === 'string' && DATE.test(value) ? new Date(value) : undefined;
    return date && !Number.isNaN(date.getTime()) ? date : undefined;
  },
};
