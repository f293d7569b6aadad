import type { DeclaredOperation } from './declared.ts';
import { prefixPlace, type SchemaFinding, type FitContext } from './finding.ts';
import { resolveReference, type Parameter } from './openapi.ts';

export const mismatchAt = (place: string, expected: string, got: string): SchemaFinding => ({
  place,
  expected,
  got,
  note: false,
});

/** We must accept every parameter of the contract, and require none that the contract does not require. */
export function parameterFindings(
  at: FitContext,
  ours: DeclaredOperation,
  theirs: DeclaredOperation,
): readonly SchemaFinding[] {
  const our = parametersByKey(ours, (parameter) => resolveReference(at.wide, parameter));
  const their = parametersByKey(theirs, (parameter) => resolveReference(at.narrow, parameter));
  const taken = [...their].flatMap(([key, parameter]) =>
    prefixPlace(placeOf(parameter), compareParameter(at, our.get(key), parameter)),
  );
  const extra = [...our]
    .filter(([key, { required }]) => required === true && !their.has(key))
    .map(([, parameter]) => mismatchAt(placeOf(parameter), 'no such parameter', 'a required one'));
  return [...taken, ...extra];
}

function compareParameter(
  at: FitContext,
  our: Parameter | undefined,
  their: Parameter,
): readonly SchemaFinding[] {
  if (!our) return [mismatchAt('', 'declared', 'not declared')];
  const wanted =
    our.required === true && their.required !== true ? [mismatchAt('', 'not required', 'required')] : [];
  return [...wanted, ...at.fit(their.schema ?? true, our.schema ?? true)];
}

const placeOf = (parameter: Parameter) => `${parameter.in} ${parameter.name}`;

/** Parameters by identity: path parameters by position, headers case-insensitively. */
function parametersByKey(
  declared: DeclaredOperation,
  resolved: (parameter: Parameter) => Parameter,
): Map<string, Parameter> {
  const positions = [...declared.path.matchAll(/\{([^}]*)\}/g)].map(([, name]) => name);
  const keys = declared.parameters.map(resolved).map((parameter): [string, Parameter] => {
    if (parameter.in === 'path') return [`path ${positions.indexOf(parameter.name)}`, parameter];
    if (parameter.in === 'header') return [`header ${withoutBrand(parameter.name)}`, parameter];
    return [`${parameter.in} ${parameter.name}`, parameter];
  });
  return new Map(keys);
}

/** Header names such as `x-<BRAND>-link-token` depend on the configured brand, which is not compared. */
const withoutBrand = (name: string) =>
  name.toLowerCase().replace(/^x-[a-z0-9]+-(link-token|api-key)$/, 'x-*-$1');
