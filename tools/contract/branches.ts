import {
  resolveReference,
  type AnySchema,
  type OpenApi,
  type JsonSchema,
  type JsonScalar,
} from './openapi.ts';

/** A schema is expanded to a list of alternatives for a value. Without a branch no value is possible. */
export type SchemaBranch =
  | { readonly kind: 'any' | 'null' | 'boolean' | 'number' | 'integer' }
  | { readonly kind: 'literal'; readonly values: readonly JsonScalar[] }
  | { readonly kind: 'string'; readonly format: string | undefined }
  /** An unresolved reference: it fits nothing, and nothing fits it. */
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

/** Other formats (email, uri, password, int64) are validation rather than type, and are not compared. */
const FORMATS: Readonly<Record<string, string>> = {
  'date-time': 'date-time',
  date: 'date',
  time: 'time',
  uuid: 'uuid',
  uuid4: 'uuid',
  binary: 'binary',
};

const expandedSchemas = new WeakMap<object, readonly SchemaBranch[]>();

export function branchesOf(doc: OpenApi, schema: AnySchema): readonly SchemaBranch[] {
  if (schema === true) return [{ kind: 'any' }];
  if (schema === false) return [];
  const known = expandedSchemas.get(schema);
  if (known) return known;
  expandedSchemas.set(schema, []); // a schema that contains itself as an alternative adds nothing
  const branches = expandSchema(doc, schema);
  expandedSchemas.set(schema, branches);
  return branches;
}

function expandSchema(doc: OpenApi, schema: JsonSchema): readonly SchemaBranch[] {
  if (schema.$ref !== undefined) {
    const target = resolveReference(doc, schema);
    return target.$ref === undefined ? branchesOf(doc, target) : [{ kind: 'lost', ref: target.$ref }];
  }
  const parts: (readonly SchemaBranch[])[] = [ownBranches(schema)];
  for (const choice of [schema.anyOf, schema.oneOf]) {
    if (choice) parts.push(choice.flatMap((one) => branchesOf(doc, one)));
  }
  for (const part of schema.allOf ?? []) parts.push(branchesOf(doc, part));
  const both = parts.reduce((left, right) => left.flatMap((a) => right.flatMap((b) => intersect(a, b))));
  return schema.nullable === true ? [...both, { kind: 'null' }] : both;
}

/** The schema's own constraints, without anyOf, oneOf and allOf. */
function ownBranches(schema: JsonSchema): readonly SchemaBranch[] {
  if (schema.const !== undefined) return literals([schema.const]);
  if (schema.enum) return literals(schema.enum);
  if (schema.not !== undefined && (schema.not === true || Object.keys(schema.not).length === 0)) return [];
  const types = typeof schema.type === 'string' ? [schema.type] : schema.type;
  if (types) return types.map((type) => branchOfType(type, schema));
  if (schema.properties || schema.additionalProperties !== undefined) return [branchOfType('object', schema)];
  if (schema.items !== undefined || schema.prefixItems) return [branchOfType('array', schema)];
  return [{ kind: 'any' }];
}

function literals(values: readonly JsonScalar[]): readonly SchemaBranch[] {
  const said = values.filter((value) => value !== null);
  const branches: SchemaBranch[] = said.length > 0 ? [{ kind: 'literal', values: said }] : [];
  return said.length < values.length ? [...branches, { kind: 'null' }] : branches;
}

function branchOfType(type: string, schema: JsonSchema): SchemaBranch {
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

/** Values that match both `a` and `b`. */
function intersect(a: SchemaBranch, b: SchemaBranch): readonly SchemaBranch[] {
  if (a.kind === 'any') return [b];
  if (b.kind === 'any') return [a];
  if (a.kind === 'object' && b.kind === 'object') return [intersectObjects(a, b)];
  if (a.kind === 'string' && b.kind === 'string') return [a.format === undefined ? b : a];
  if (a.kind === 'literal') return literals(a.values.filter((value) => matchesBranch(value, b)));
  if (b.kind === 'literal') return literals(b.values.filter((value) => matchesBranch(value, a)));
  if (a.kind === 'number' && b.kind === 'integer') return [b];
  if (a.kind === 'integer' && b.kind === 'number') return [a];
  return a.kind === b.kind ? [a] : [];
}

function intersectObjects(a: ObjectBranch, b: ObjectBranch): SchemaBranch {
  const properties: Record<string, AnySchema> = { ...a.properties };
  for (const [name, schema] of Object.entries(b.properties)) {
    const other = a.properties[name];
    properties[name] = other === undefined ? schema : { allOf: [other, schema] };
  }
  // additionalProperties: false in one part of an allOf does not exclude properties that another part allows.
  const additional = a.additional === false ? b.additional : a.additional;
  return { kind: 'object', properties, required: [...new Set([...a.required, ...b.required])], additional };
}

/** Whether a scalar value matches a branch. */
export function matchesBranch(value: JsonScalar, branch: SchemaBranch): boolean {
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

export function describeBranches(branches: readonly SchemaBranch[]): string {
  if (branches.length === 0) return 'nothing';
  return branches.map(describeBranch).join(' | ');
}

function describeBranch(branch: SchemaBranch): string {
  if (branch.kind === 'string') return branch.format === undefined ? 'string' : `string:${branch.format}`;
  if (branch.kind === 'lost') return `an unresolved reference (${branch.ref})`;
  if (branch.kind === 'object') {
    const names = Object.keys(branch.properties);
    return `{ ${[...names.slice(0, SHOWN), ...(names.length > SHOWN ? ['...'] : [])].join(', ')} }`;
  }
  if (branch.kind !== 'literal') return branch.kind;
  const shown = branch.values.slice(0, SHOWN).map((value) => JSON.stringify(value));
  const more = branch.values.length - shown.length;
  return more > 0 ? `${shown.join(' | ')} | ... ${more} more` : shown.join(' | ');
}
