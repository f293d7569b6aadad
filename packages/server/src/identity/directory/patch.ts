import { z } from 'zod';
import { bindValueFilter, type BoundFilter } from './bound-filter.ts';
import { isScimRecord, matchesFilter, type ScimRecord } from './evaluate-filter.ts';
import { parsePatchPath, type ScimFilter } from './filter.ts';
import { scimError } from './scim-error.ts';
import { resolveAttribute, type ResourceSchema, type ScimAttribute } from './scim-schema.ts';

const OPERATIONS_MAX = 1000;

/** Entra ID writes `Add`, `Replace` and `Remove`. */
const PatchOperation = z.object({
  op: z
    .string()
    .transform((op) => op.toLowerCase())
    .pipe(z.enum(['add', 'replace', 'remove'])),
  path: z.string().nullish(),
  value: z.unknown().optional(),
});
type PatchOperation = z.output<typeof PatchOperation>;

const PatchRequest = z.object({ Operations: z.array(PatchOperation).min(1).max(OPERATIONS_MAX) });

/** The operations of a PATCH body; 400 `invalidSyntax` for anything else. */
export function parsePatch(body: unknown): PatchOperation[] {
  const parsed = PatchRequest.safeParse(body);
  if (parsed.success) return parsed.data.Operations;
  const [issue] = parsed.error.issues;
  throw scimError(
    'invalidSyntax',
    `The body is no PatchOp with 1 to ${OPERATIONS_MAX} Operations of add, replace or remove` +
      (issue && issue.path.length > 0 ? ` (at ${issue.path.join('.')})` : ''),
  );
}

/** Applies the operations in their order to a resource, and returns the new one. */
export function applyPatch(
  resource: ResourceSchema,
  before: ScimRecord,
  operations: readonly PatchOperation[],
): ScimRecord {
  const draft: Record<string, unknown> = structuredClone(before) as Record<string, unknown>;
  for (const { op, path, value } of operations) {
    if (path !== undefined && path !== null && path !== '') applyAt(resource, draft, { op, path, value });
    else if (op === 'remove') throw scimError('noTarget', 'A remove needs a path');
    else applyWithoutPath(resource, draft, { op, value });
  }
  return draft;
}

type Draft = Record<string, unknown>;

/** The names of the value are paths: attributes or, as Entra ID sends them, `name.familyName` and paths with filters. */
function applyWithoutPath(
  resource: ResourceSchema,
  draft: Draft,
  { op, value }: Pick<PatchOperation, 'op' | 'value'>,
): void {
  if (!isScimRecord(value)) throw scimError('invalidValue', `A ${op} without a path needs an object`);
  for (const [name, part] of Object.entries(value)) {
    if (name.toLowerCase() === 'schemas') continue;
    applyAt(resource, draft, { op, path: name, value: part, isWithoutPath: true });
  }
}

interface PatchStep {
  readonly op: PatchOperation['op'];
  readonly path: string;
  readonly value: unknown;
  /** Then what is read-only is left out, because a whole resource is sent. */
  readonly isWithoutPath?: true;
}

/** The attribute that a step changes. */
interface PatchTarget {
  readonly attribute: ScimAttribute;
  readonly sub: ScimAttribute | undefined;
  readonly filter: BoundFilter | undefined;
  /** Makes the value that a filter does not find. */
  readonly written: ScimFilter | undefined;
}

function applyAt(resource: ResourceSchema, draft: Draft, step: PatchStep): void {
  const { path, filter } = parsePatchPath(step.path);
  const found = resolveAttribute(resource, path);
  if (found === 'ignored') return;
  if (!found) throw scimError('invalidPath', `A ${resource.name} has no attribute ${step.path.slice(0, 80)}`);
  const { attribute, sub } = found;
  if ((sub ?? attribute).mutability === 'readOnly' || attribute.mutability === 'readOnly') {
    if (step.isWithoutPath) return;
    throw scimError('mutability', `${step.path.slice(0, 80)} is read-only`);
  }
  if (filter && !attribute.multiValued)
    throw scimError('invalidPath', `${attribute.name} has only one value`);
  const refuse = (reason: string) => scimError('invalidFilter', `The filter cannot be used: ${reason}`);
  const bound = filter && bindValueFilter(attribute, filter, refuse);
  const target: PatchTarget = { attribute, sub, filter: bound, written: filter };
  if (attribute.multiValued) changeValues(draft, target, step);
  else changeSingle(draft, target, step);
}

const isUnassigned = (value: unknown): boolean => value === null || value === undefined || value === '';

function changeSingle(draft: Draft, { attribute, sub }: PatchTarget, { op, value }: PatchStep): void {
  if (sub) {
    const parts = { ...(isScimRecord(draft[attribute.name]) ? (draft[attribute.name] as ScimRecord) : {}) };
    draft[attribute.name] = withPart(parts, sub, op === 'remove' ? undefined : value);
    return;
  }
  if (op === 'remove' || isUnassigned(value)) {
    if (attribute.required)
      throw scimError('mutability', `${attribute.name} is required and cannot be removed`);
    delete draft[attribute.name];
    return;
  }
  draft[attribute.name] = attribute.subAttributes
    ? mergeParts(attribute, draft[attribute.name], value)
    : value;
}

function withPart(parts: Draft, { name }: ScimAttribute, value: unknown): Draft {
  if (isUnassigned(value)) delete parts[name];
  else parts[name] = value;
  return parts;
}

/** The parts that the value names replace those of before; the others stay. */
function mergeParts(attribute: ScimAttribute, before: unknown, value: unknown): Draft {
  if (!isScimRecord(value)) throw scimError('invalidValue', `${attribute.name} is an object`);
  const merged: Draft = isScimRecord(before) ? { ...before } : {};
  for (const sub of attribute.subAttributes ?? []) {
    const given = Object.entries(value).find(([name]) => name.toLowerCase() === sub.name.toLowerCase());
    if (given && sub.mutability !== 'readOnly') withPart(merged, sub, given[1]);
  }
  return merged;
}

function changeValues(draft: Draft, target: PatchTarget, step: PatchStep): void {
  const { attribute, sub, filter } = target;
  const current = Array.isArray(draft[attribute.name]) ? (draft[attribute.name] as unknown[]) : [];
  if (filter ?? sub) draft[attribute.name] = changeSelected(current, target, step);
  else if (step.op === 'remove') draft[attribute.name] = withoutValues(current, attribute, step.value);
  else {
    const given = listValues(attribute, step.value);
    draft[attribute.name] = distinct(step.op === 'add' ? [...current, ...given] : given);
  }
}

/** One value or a list of them; a bare string is a `value`. */
function listValues(attribute: ScimAttribute, value: unknown): Draft[] {
  if (isUnassigned(value)) return [];
  return (Array.isArray(value) ? value : [value]).map((one: unknown) =>
    mergeParts(attribute, undefined, typeof one === 'string' ? { value: one } : one),
  );
}

/** The last one of several with the same `value`, at the place of the first. */
function distinct(values: readonly unknown[]): unknown[] {
  const byValue = new Map<unknown, unknown>();
  for (const one of values) byValue.set(isScimRecord(one) ? one['value'] : one, one);
  return [...byValue.values()];
}

/** Without a value all are removed; with a list, as Entra ID sends it, those that it names. */
function withoutValues(current: readonly unknown[], attribute: ScimAttribute, value: unknown): unknown[] {
  if (value === undefined || value === null) return [];
  const removed = new Set(listValues(attribute, value).map((one) => one['value']));
  return current.filter((one) => !(isScimRecord(one) && removed.has(one['value'])));
}

function changeSelected(current: readonly unknown[], target: PatchTarget, step: PatchStep): unknown[] {
  const { attribute, sub, filter, written } = target;
  const isSelected = (one: unknown) => isScimRecord(one) && (!filter || matchesFilter(filter, one));
  if (step.op === 'remove' && !sub) return current.filter((one) => !isSelected(one));
  const given = step.op === 'remove' ? undefined : step.value;
  const change = (one: unknown): unknown => {
    const parts = isScimRecord(one) ? { ...one } : {};
    return sub ? withPart(parts, sub, given) : mergeParts(attribute, parts, given);
  };
  if (current.some(isSelected)) return distinct(current.map((one) => (isSelected(one) ? change(one) : one)));
  if (step.op === 'remove') return [...current];
  const made = written && toNewValue(attribute, written);
  if (step.op === 'replace' || !made)
    throw scimError('noTarget', `No value of ${attribute.name} matches ${step.path.slice(0, 80)}`);
  return [...current, change(made)];
}

/** The value that `[type eq "work"]` describes, for an add; undefined for filters that describe none. */
function toNewValue(attribute: ScimAttribute, filter: ScimFilter): Draft | undefined {
  if (filter.kind !== 'compare' || filter.operator !== 'eq') return undefined;
  return mergeParts(attribute, undefined, { [filter.path.attribute]: filter.value });
}
