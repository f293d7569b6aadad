import type { ComponentSchemas, JsonSchema } from './document.ts';

/** A schema with its references, `allOf` and nullability resolved. */
export interface ResolvedSchema {
  readonly shape: JsonSchema;
  /** The name of the schema in the document, if it has one. */
  readonly name: string | undefined;
  readonly nullable: boolean;
  /** The alternatives, where there is more than one. */
  readonly options: readonly JsonSchema[];
}

/** The limit for chains of references, including circular ones. */
const REFERENCE_HOPS_MAX = 16;

export function resolveSchema(schemas: ComponentSchemas, given: JsonSchema): ResolvedSchema {
  let shape = given;
  let name: string | undefined;
  let nullable = false;
  for (let hop = 0; hop < REFERENCE_HOPS_MAX; hop += 1) {
    const { $ref, anyOf, oneOf, allOf, ...own } = shape;
    const options = anyOf ?? oneOf;
    if ($ref !== undefined) {
      const target = referenceName($ref);
      const found = Object.hasOwn(schemas, target) ? schemas[target] : undefined;
      if (found) name ??= target;
      shape = { ...found, ...own };
    } else if (allOf) {
      shape = allOf.reduce<JsonSchema>(
        (whole, part) => mergeSchemas(whole, resolveSchema(schemas, part).shape),
        own,
      );
    } else if (options) {
      const some = options.filter((option) => option.type !== 'null');
      nullable ||= some.length < options.length;
      if (some.length !== 1) return { shape: own, name, nullable, options: some };
      shape = { ...some[0], ...own };
    } else {
      break;
    }
  }
  return { shape, name, nullable: nullable || typesOf(shape).includes('null'), options: [] };
}

/** `#/components/schemas/Order` has the name `Order`. */
export const referenceName = (reference: string): string => reference.slice(reference.lastIndexOf('/') + 1);

const mergeSchemas = (whole: JsonSchema, part: JsonSchema): JsonSchema => ({
  ...part,
  ...whole,
  properties: { ...whole.properties, ...part.properties },
  required: [...(whole.required ?? []), ...(part.required ?? [])],
});

const typesOf = ({ type }: JsonSchema): readonly string[] => (type === undefined ? [] : [type].flat());

/** The JSON types of a schema without null; inferred where it has no `type`. */
export function jsonTypes(shape: JsonSchema): readonly string[] {
  const named = typesOf(shape).filter((type) => type !== 'null');
  if (named.length > 0) return named;
  if (shape.properties || shape.additionalProperties) return ['object'];
  if (shape.items) return ['array'];
  const values = shape.enum ?? (shape.const === undefined ? [] : [shape.const]);
  return [...new Set(values.filter((value) => value !== null).map((value) => typeof value))];
}

/** The value schema of a map, such as `{ [state]: Place[] }`; undefined for other schemas. */
export const mapValueSchema = ({ properties, additionalProperties }: JsonSchema): JsonSchema | undefined =>
  properties === undefined && additionalProperties !== false ? additionalProperties : undefined;
