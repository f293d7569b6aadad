import type { Declared } from './declared.ts';
import { inside, type Finding, type Sides } from './finding.ts';
import { resolve, type Parameter } from './openapi.ts';

export const gapIn = (place: string, expected: string, got: string): Finding => ({
  place,
  expected,
  got,
  note: false,
});

/** Every parameter that the contract names is taken, and none is required that the contract does not require. */
export function parameterFindings(at: Sides, ours: Declared, theirs: Declared): readonly Finding[] {
  const our = named(ours, (parameter) => resolve(at.wide, parameter));
  const their = named(theirs, (parameter) => resolve(at.narrow, parameter));
  const taken = [...their].flatMap(([key, parameter]) =>
    inside(placeOf(parameter), taking(at, our.get(key), parameter)),
  );
  const extra = [...our]
    .filter(([key, { required }]) => required === true && !their.has(key))
    .map(([, parameter]) => gapIn(placeOf(parameter), 'no such parameter', 'a required one'));
  return [...taken, ...extra];
}

function taking(at: Sides, our: Parameter | undefined, their: Parameter): readonly Finding[] {
  if (!our) return [gapIn('', 'declared', 'not declared')];
  const wanted =
    our.required === true && their.required !== true ? [gapIn('', 'not required', 'required')] : [];
  return [...wanted, ...at.fit(their.schema ?? true, our.schema ?? true)];
}

const placeOf = (parameter: Parameter) => `${parameter.in} ${parameter.name}`;

/** The parameters by what makes two of them the same: a path parameter by its position, a header in any case. */
function named(declared: Declared, resolved: (parameter: Parameter) => Parameter): Map<string, Parameter> {
  const positions = [...declared.path.matchAll(/\{([^}]*)\}/g)].map(([, name]) => name);
  const keys = declared.parameters.map(resolved).map((parameter): [string, Parameter] => {
    if (parameter.in === 'path') return [`path ${positions.indexOf(parameter.name)}`, parameter];
    if (parameter.in === 'header') return [`header ${unbranded(parameter.name)}`, parameter];
    return [`${parameter.in} ${parameter.name}`, parameter];
  });
  return new Map(keys);
}

/** `x-<BRAND>-link-token` is named by the brand that the service is run under, so the brand is not compared. */
const unbranded = (name: string) =>
  name.toLowerCase().replace(/^x-[a-z0-9]+-(link-token|api-key)$/, 'x-*-$1');
