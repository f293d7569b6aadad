import type { Schemas, Shape } from './document.ts';

/** A shape after its references and its `or null` were followed. */
export interface Resolved {
  readonly shape: Shape;
  /** The name among the schemas of the document, if it has one. */
  readonly name: string | undefined;
  readonly nullable: boolean;
  /** More than one when the value may be any of several. */
  readonly options: readonly Shape[];
}

/** References to references end here, a circle of them too. */
const HOPS = 16;

export function resolve(schemas: Schemas, given: Shape): Resolved {
  let shape = given;
  let name: string | undefined;
  let nullable = false;
  for (let hop = 0; hop < HOPS; hop += 1) {
    const { $ref, anyOf, oneOf, allOf, ...own } = shape;
    const options = anyOf ?? oneOf;
    if ($ref !== undefined) {
      const target = nameOf($ref);
      const found = Object.hasOwn(schemas, target) ? schemas[target] : undefined;
      if (found) name ??= target;
      shape = { ...found, ...own };
    } else if (allOf) {
      shape = allOf.reduce<Shape>((whole, part) => merged(whole, resolve(schemas, part).shape), own);
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

/** `#/components/schemas/Order` is `Order`. */
export const nameOf = (reference: string): string => reference.slice(reference.lastIndexOf('/') + 1);

const merged = (whole: Shape, part: Shape): Shape => ({
  ...part,
  ...whole,
  properties: { ...whole.properties, ...part.properties },
  required: [...(whole.required ?? []), ...(part.required ?? [])],
});

const typesOf = ({ type }: Shape): readonly string[] => (type === undefined ? [] : [type].flat());

/** The JSON types of a shape but null; told from its parts where it does not name one. */
export function jsonTypes(shape: Shape): readonly string[] {
  const named = typesOf(shape).filter((type) => type !== 'null');
  if (named.length > 0) return named;
  if (shape.properties || shape.additionalProperties) return ['object'];
  if (shape.items) return ['array'];
  const values = shape.enum ?? (shape.const === undefined ? [] : [shape.const]);
  return [...new Set(values.filter((value) => value !== null).map((value) => typeof value))];
}

/** A map from any key to one shape, such as `{ [state]: Place[] }`; undefined for what is no map. */
export const valuesOf = ({ properties, additionalProperties }: Shape): Shape | undefined =>
  properties === undefined && additionalProperties !== false ? additionalProperties : undefined;
