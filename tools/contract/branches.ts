import { resolve, type AnySchema, type OpenApi, type Schema, type Value } from './openapi.ts';

/** A schema, laid out as the list of what a value may be. No branch at all: no value is possible. */
export type Branch =
  | { readonly kind: 'any' | 'null' | 'boolean' | 'number' | 'integer' }
  | { readonly kind: 'literal'; readonly values: readonly Value[] }
  | { readonly kind: 'string'; readonly format: string | undefined }
  /** A reference that leads nowhere: it fits nothing, and nothing fits it. */
  | { readonly kind: 'lost'; readonly ref: string }
  | ListBranch
  | ObjectBranch;

export interface ListBranch {
  readonly kind: 'array';
  readonly items: AnySchema;
  readonly first: readonly AnySchema[];
}

export interface ObjectBranch {
  readonly kind: 'object';
  readonly properties: Readonly<Record<string, AnySchema>>;
  readonly required: readonly string[];
  readonly additional: AnySchema | undefined;
}

/** Other formats (email, uri, password, int64) are validation, not type, and are not compared. */
const FORMATS: Readonly<Record<string, string>> = {
  'date-time': 'date-time',
  date: 'date',
  time: 'time',
  uuid: 'uuid',
  uuid4: 'uuid',
  binary: 'binary',
};

const laidOut = new WeakMap<object, readonly Branch[]>();

export function branchesOf(doc: OpenApi, schema: AnySchema): readonly Branch[] {
  if (schema === true) return [{ kind: 'any' }];
  if (schema === false) return [];
  const known = laidOut.get(schema);
  if (known) return known;
  laidOut.set(schema, []); // a schema that holds itself as an alternative adds nothing by it
  const branches = layOut(doc, schema);
  laidOut.set(schema, branches);
  return branches;
}

function layOut(doc: OpenApi, schema: Schema): readonly Branch[] {
  if (schema.$ref !== undefined) {
    const target = resolve(doc, schema);
    return target.$ref === undefined ? branchesOf(doc, target) : [{ kind: 'lost', ref: target.$ref }];
  }
  const parts: (readonly Branch[])[] = [ownBranches(schema)];
  for (const choice of [schema.anyOf, schema.oneOf]) {
    if (choice) parts.push(choice.flatMap((one) => branchesOf(doc, one)));
  }
  for (const part of schema.allOf ?? []) parts.push(branchesOf(doc, part));
  const both = parts.reduce((left, right) => left.flatMap((a) => right.flatMap((b) => meet(a, b))));
  return schema.nullable === true ? [...both, { kind: 'null' }] : both;
}

/** What the schema says by itself, without its anyOf, oneOf and allOf. */
function ownBranches(schema: Schema): readonly Branch[] {
  if (schema.const !== undefined) return literals([schema.const]);
  if (schema.enum) return literals(schema.enum);
  if (schema.not !== undefined && (schema.not === true || Object.keys(schema.not).length === 0)) return [];
  const types = typeof schema.type === 'string' ? [schema.type] : schema.type;
  if (types) return types.map((type) => ofType(type, schema));
  if (schema.properties || schema.additionalProperties !== undefined) return [ofType('object', schema)];
  if (schema.items !== undefined || schema.prefixItems) return [ofType('array', schema)];
  return [{ kind: 'any' }];
}

function literals(values: readonly Value[]): readonly Branch[] {
  const said = values.filter((value) => value !== null);
  const branches: Branch[] = said.length > 0 ? [{ kind: 'literal', values: said }] : [];
  return said.length < values.length ? [...branches, { kind: 'null' }] : branches;
}

function ofType(type: string, schema: Schema): Branch {
  switch (type) {
    case 'null':
    case 'boolean':
    case 'number':
    case 'integer':
      return { kind: type };
    case 'string':
      return { kind: 'string', format: FORMATS[schema.format ?? ''] };
    case 'array':
      return { kind: 'array', items: schema.items ?? true, first: schema.prefixItems ?? [] };
    case 'object':
      return {
        kind: 'object',
        properties: schema.properties ?? {},
        required: schema.required ?? [],
        additional: schema.additionalProperties,
      };
    default:
      throw new Error(`JSON Schema has no type ${type}`);
  }
}

/** What is both `a` and `b`. */
function meet(a: Branch, b: Branch): readonly Branch[] {
  if (a.kind === 'any') return [b];
  if (b.kind === 'any') return [a];
  if (a.kind === 'object' && b.kind === 'object') return [meetObjects(a, b)];
  if (a.kind === 'string' && b.kind === 'string') return [a.format === undefined ? b : a];
  if (a.kind === 'literal') return literals(a.values.filter((value) => isOf(value, b)));
  if (b.kind === 'literal') return literals(b.values.filter((value) => isOf(value, a)));
  if (a.kind === 'number' && b.kind === 'integer') return [b];
  if (a.kind === 'integer' && b.kind === 'number') return [a];
  return a.kind === b.kind ? [a] : [];
}

function meetObjects(a: ObjectBranch, b: ObjectBranch): Branch {
  const properties: Record<string, AnySchema> = { ...a.properties };
  for (const [name, schema] of Object.entries(b.properties)) {
    const other = a.properties[name];
    properties[name] = other === undefined ? schema : { allOf: [other, schema] };
  }
  // Parts of an allOf close themselves only against each other; the whole is open where one of them is.
  const additional = a.additional === false ? b.additional : a.additional;
  return { kind: 'object', properties, required: [...new Set([...a.required, ...b.required])], additional };
}

/** Whether one plain value belongs to a branch. */
export function isOf(value: Value, branch: Branch): boolean {
  switch (branch.kind) {
    case 'any':
      return true;
    case 'null':
      return value === null;
    case 'literal':
      return branch.values.includes(value);
    case 'string':
      return typeof value === 'string' && branch.format === undefined;
    case 'integer':
      return Number.isInteger(value);
    case 'boolean':
    case 'number':
      return typeof value === branch.kind;
    default:
      return false;
  }
}

const SHOWN = 6;

export function brief(branches: readonly Branch[]): string {
  if (branches.length === 0) return 'nothing';
  return branches.map(briefOne).join(' | ');
}

function briefOne(branch: Branch): string {
  if (branch.kind === 'string') return branch.format === undefined ? 'string' : `string:${branch.format}`;
  if (branch.kind === 'lost') return `a reference to nothing (${branch.ref})`;
  if (branch.kind === 'object') {
    const names = Object.keys(branch.properties);
    return `{ ${[...names.slice(0, SHOWN), ...(names.length > SHOWN ? ['...'] : [])].join(', ')} }`;
  }
  if (branch.kind !== 'literal') return branch.kind;
  const shown = branch.values.slice(0, SHOWN).map((value) => JSON.stringify(value));
  const more = branch.values.length - shown.length;
  return more > 0 ? `${shown.join(' | ')} | ... ${more} more` : shown.join(' | ');
}
