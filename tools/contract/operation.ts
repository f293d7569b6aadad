import { gapIn, parameterFindings } from './parameters.ts';
import { inside, type Finding, type Sides } from './finding.ts';
import { sides } from './fit.ts';
import { resolve, type AnySchema, type Content, type OpenApi } from './openapi.ts';
import type { Declared } from './declared.ts';

/** The served document beside one document of the contract. */
export interface Pair {
  readonly served: OpenApi;
  readonly contract: OpenApi;
  readonly answer: Sides;
  readonly request: Sides;
  readonly parameter: Sides;
}

export const pairOf = (served: OpenApi, contract: OpenApi): Pair => ({
  served,
  contract,
  answer: sides('answer', { served, contract }),
  request: sides('request', { served, contract }),
  parameter: sides('parameter', { served, contract }),
});

export const operationFindings = (pair: Pair, ours: Declared, theirs: Declared): readonly Finding[] => [
  ...parameterFindings(pair.parameter, ours, theirs),
  ...inside('body', bodyFindings(pair, ours, theirs)),
  ...answerFindings(pair, ours, theirs),
];

function bodyFindings(pair: Pair, ours: Declared, theirs: Declared): readonly Finding[] {
  const our = ours.operation.requestBody && resolve(pair.served, ours.operation.requestBody);
  const their = theirs.operation.requestBody && resolve(pair.contract, theirs.operation.requestBody);
  if (!their) return our?.required === true ? [gapIn('', 'no body', 'a required body')] : [];
  if (!our) return [gapIn('', 'a body', 'none')];
  const wanted =
    our.required === true && their.required !== true ? [gapIn('', 'not required', 'required')] : [];
  const contents = Object.entries(their.content ?? {}).flatMap(([type, { schema }]) => {
    const accepted = contentOf(our.content, type);
    if (!accepted) return [gapIn('', type, Object.keys(our.content ?? {}).join(', ') || 'none')];
    return pair.request.fit(schema ?? true, accepted.schema ?? true);
  });
  return [...wanted, ...contents];
}

/** Only success is compared: errors are one shape for all, and a test of their own. */
function answerFindings(pair: Pair, ours: Declared, theirs: Declared): readonly Finding[] {
  const statuses = Object.keys(theirs.operation.responses ?? {}).filter((status) => status.startsWith('2'));
  return statuses.flatMap((status) => {
    const our = ours.operation.responses?.[status];
    const their = theirs.operation.responses?.[status];
    if (!our)
      return [gapIn(`answer ${status}`, 'declared', Object.keys(ours.operation.responses ?? {}).join(', '))];
    const contents = {
      ours: resolve(pair.served, our).content,
      theirs: (their && resolve(pair.contract, their).content) ?? {},
    };
    return inside(`answer ${status}`, contentFindings(pair.answer, contents));
  });
}

function contentFindings(at: Sides, { ours, theirs }: { ours?: Content | undefined; theirs: Content }) {
  const types = Object.entries(theirs);
  // Beside a PDF the contract lists JSON of any shape: nobody ever answers it.
  const meant = types.length > 1 ? types.filter(([, { schema }]) => !isAnything(schema)) : types;
  return meant.flatMap(([type, { schema }]): readonly Finding[] => {
    const our = contentOf(ours, type);
    if (!our) return [gapIn('', type, Object.keys(ours ?? {}).join(', ') || 'no content')];
    return type.includes('json') ? at.fit(our.schema ?? true, schema ?? true) : [];
  });
}

const isAnything = (schema: AnySchema | undefined) =>
  schema === true || (typeof schema === 'object' && Object.keys(schema).length === 0);

/** A media type without its parameters: `application/json; charset=utf-8` is JSON. */
function contentOf(content: Content | undefined, type: string) {
  const bare = (name: string) => name.split(';')[0]?.trim().toLowerCase();
  return Object.entries(content ?? {}).find(([name]) => bare(name) === bare(type))?.[1];
}
