import type { ObjectBranch } from './branches.ts';
import { mismatchFinding, prefixPlace, type SchemaFinding, type FitContext } from './finding.ts';
import type { AnySchema } from './openapi.ts';

export const fitObjects = (
  at: FitContext,
  narrow: ObjectBranch,
  wide: ObjectBranch,
): readonly SchemaFinding[] =>
  at.direction === 'answer' ? fitAnswer(at, narrow, wide) : fitRequest(at, narrow, wide);

const dot = (name: string) => `.${name}`;
const isSchema = (additional: AnySchema | undefined): additional is AnySchema =>
  typeof additional === 'object' && Object.keys(additional).length > 0;
const declaresProperties = (branch: ObjectBranch) => Object.keys(branch.properties).length > 0;

function fitAnswer(at: FitContext, ours: ObjectBranch, theirs: ObjectBranch): readonly SchemaFinding[] {
  const always = theirs.required.flatMap((name) => requiredAnswer(ours, name));
  const ourNames = Object.keys(ours.properties);
  const absent = Object.keys(theirs.properties)
    .filter((name) => !ourNames.includes(name) && !theirs.required.includes(name))
    .map((name) => ({ place: dot(name), expected: 'optional property', got: 'not declared', note: true }));
  const shared = Object.entries(ours.properties).flatMap(([name, schema]) => {
    const theirSchema = theirs.properties[name] ?? theirs.additional;
    return prefixPlace(dot(name), theirSchema === undefined ? [] : at.fit(schema, theirSchema));
  });
  return [...always, ...absent, ...shared, ...prefixPlace('{}', fitAdditional(at, ours, theirs))];
}

function requiredAnswer(ours: ObjectBranch, name: string): readonly SchemaFinding[] {
  if (ours.required.includes(name)) return [];
  const got = name in ours.properties ? 'optional property' : 'not declared';
  return [{ place: dot(name), expected: 'required property', got, note: false }];
}

/** Additional properties of an object. */
function fitAdditional(at: FitContext, ours: ObjectBranch, theirs: ObjectBranch): readonly SchemaFinding[] {
  if (isSchema(ours.additional)) {
    return isSchema(theirs.additional) ? at.fit(ours.additional, theirs.additional) : [];
  }
  const open = ours.additional !== false && !declaresProperties(ours);
  return open && (declaresProperties(theirs) || isSchema(theirs.additional))
    ? [mismatchFinding(at, 'any object', 'what is declared')]
    : [];
}

function fitRequest(at: FitContext, theirs: ObjectBranch, ours: ObjectBranch): readonly SchemaFinding[] {
  const wanted = ours.required
    .filter((name) => !theirs.required.includes(name))
    .map((name) => ({ place: dot(name), expected: 'not required', got: 'required', note: false }));
  const properties = Object.entries(theirs.properties).flatMap(([name, schema]) =>
    prefixPlace(dot(name), requestProperty(at, schema, ours.properties[name] ?? additionalSchema(ours))),
  );
  const more = isSchema(theirs.additional)
    ? prefixPlace('{}', requestProperty(at, theirs.additional, additionalSchema(ours)))
    : [];
  return [...wanted, ...properties, ...more];
}

/** The schema that we accept for an undeclared property. An ignored property is not accepted. */
function additionalSchema(ours: ObjectBranch): AnySchema | undefined {
  if (ours.additional === undefined) return declaresProperties(ours) ? undefined : true;
  return ours.additional === false ? undefined : ours.additional;
}

const requestProperty = (
  at: FitContext,
  theirs: AnySchema,
  ours: AnySchema | undefined,
): readonly SchemaFinding[] =>
  ours === undefined
    ? [{ place: '', expected: 'accepted', got: 'not declared', note: false }]
    : at.fit(theirs, ours);
