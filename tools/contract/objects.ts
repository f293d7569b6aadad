import type { ObjectBranch } from './branches.ts';
import { gap, inside, type Finding, type Sides } from './finding.ts';
import type { AnySchema } from './openapi.ts';

export const fitObjects = (at: Sides, narrow: ObjectBranch, wide: ObjectBranch): readonly Finding[] =>
  at.direction === 'answer' ? fitAnswer(at, narrow, wide) : fitRequest(at, narrow, wide);

const dot = (name: string) => `.${name}`;
const isSchema = (additional: AnySchema | undefined): additional is AnySchema =>
  typeof additional === 'object' && Object.keys(additional).length > 0;
const says = (branch: ObjectBranch) => Object.keys(branch.properties).length > 0;

function fitAnswer(at: Sides, ours: ObjectBranch, theirs: ObjectBranch): readonly Finding[] {
  const always = theirs.required.flatMap((name) => requiredAnswer(ours, name));
  const ourNames = Object.keys(ours.properties);
  const absent = Object.keys(theirs.properties)
    .filter((name) => !ourNames.includes(name) && !theirs.required.includes(name))
    .map((name) => ({ place: dot(name), expected: 'optional property', got: 'not declared', note: true }));
  const shared = Object.entries(ours.properties).flatMap(([name, schema]) => {
    const theirSchema = theirs.properties[name] ?? theirs.additional;
    return inside(dot(name), theirSchema === undefined ? [] : at.fit(schema, theirSchema));
  });
  return [...always, ...absent, ...shared, ...inside('{}', answerRest(at, ours, theirs))];
}

function requiredAnswer(ours: ObjectBranch, name: string): readonly Finding[] {
  if (ours.required.includes(name)) return [];
  const got = name in ours.properties ? 'optional property' : 'not declared';
  return [{ place: dot(name), expected: 'required property', got, note: false }];
}

/** What a map may hold besides named properties. */
function answerRest(at: Sides, ours: ObjectBranch, theirs: ObjectBranch): readonly Finding[] {
  if (isSchema(ours.additional)) {
    return isSchema(theirs.additional) ? at.fit(ours.additional, theirs.additional) : [];
  }
  const open = ours.additional !== false && !says(ours);
  return open && (says(theirs) || isSchema(theirs.additional))
    ? [gap(at, 'any object', 'what is declared')]
    : [];
}

function fitRequest(at: Sides, theirs: ObjectBranch, ours: ObjectBranch): readonly Finding[] {
  const wanted = ours.required
    .filter((name) => !theirs.required.includes(name))
    .map((name) => ({ place: dot(name), expected: 'not required', got: 'required', note: false }));
  const properties = Object.entries(theirs.properties).flatMap(([name, schema]) =>
    inside(dot(name), requestProperty(at, schema, ours.properties[name] ?? rest(ours))),
  );
  const more = isSchema(theirs.additional)
    ? inside('{}', requestProperty(at, theirs.additional, rest(ours)))
    : [];
  return [...wanted, ...properties, ...more];
}

/** What we accept for a property that we do not name; an ignored property is not an accepted one. */
function rest(ours: ObjectBranch): AnySchema | undefined {
  if (ours.additional === undefined) return says(ours) ? undefined : true;
  return ours.additional === false ? undefined : ours.additional;
}

const requestProperty = (at: Sides, theirs: AnySchema, ours: AnySchema | undefined): readonly Finding[] =>
  ours === undefined
    ? [{ place: '', expected: 'accepted', got: 'not declared', note: false }]
    : at.fit(theirs, ours);
