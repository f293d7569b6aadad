import { mismatchAt, parameterFindings } from './parameters.ts';
import { prefixPlace, type SchemaFinding, type FitContext } from './finding.ts';
import { createFitContext } from './fit.ts';
import { resolveReference, type AnySchema, type MediaTypes, type OpenApi } from './openapi.ts';
import type { DeclaredOperation } from './declared.ts';

/** The served document and one contract document. */
export interface ContractPair {
  readonly served: OpenApi;
  readonly contract: OpenApi;
  readonly answer: FitContext;
  readonly request: FitContext;
  readonly parameter: FitContext;
}

export const createPair = (served: OpenApi, contract: OpenApi): ContractPair => ({
  served,
  contract,
  answer: createFitContext('answer', { served, contract }),
  request: createFitContext('request', { served, contract }),
  parameter: createFitContext('parameter', { served, contract }),
});

export const operationFindings = (
  pair: ContractPair,
  ours: DeclaredOperation,
  theirs: DeclaredOperation,
): readonly SchemaFinding[] => [
  ...parameterFindings(pair.parameter, ours, theirs),
  ...prefixPlace('body', bodyFindings(pair, ours, theirs)),
  ...answerFindings(pair, ours, theirs),
];

function bodyFindings(
  pair: ContractPair,
  ours: DeclaredOperation,
  theirs: DeclaredOperation,
): readonly SchemaFinding[] {
  const our = ours.operation.requestBody && resolveReference(pair.served, ours.operation.requestBody);
  const their = theirs.operation.requestBody && resolveReference(pair.contract, theirs.operation.requestBody);
  if (!their) return our?.required === true ? [mismatchAt('', 'no body', 'a required body')] : [];
  if (!our) return [mismatchAt('', 'a body', 'none')];
  const wanted =
    our.required === true && their.required !== true ? [mismatchAt('', 'not required', 'required')] : [];
  const contents = Object.entries(their.content ?? {}).flatMap(([type, { schema }]) => {
    const accepted = contentOf(our.content, type);
    if (!accepted) return [mismatchAt('', type, Object.keys(our.content ?? {}).join(', ') || 'none')];
    return pair.request.fit(schema ?? true, accepted.schema ?? true);
  });
  return [...wanted, ...contents];
}

/** Compares only success responses: all errors have one shape, which has its own test. */
function answerFindings(
  pair: ContractPair,
  ours: DeclaredOperation,
  theirs: DeclaredOperation,
): readonly SchemaFinding[] {
  const statuses = Object.keys(theirs.operation.responses ?? {}).filter((status) => status.startsWith('2'));
  return statuses.flatMap((status) => {
    const our = ours.operation.responses?.[status];
    const their = theirs.operation.responses?.[status];
    if (!our)
      return [
        mismatchAt(`answer ${status}`, 'declared', Object.keys(ours.operation.responses ?? {}).join(', ')),
      ];
    const contents = {
      ours: resolveReference(pair.served, our).content,
      theirs: (their && resolveReference(pair.contract, their).content) ?? {},
    };
    return prefixPlace(`answer ${status}`, contentFindings(pair.answer, contents));
  });
}

function contentFindings(
  at: FitContext,
  { ours, theirs }: { ours?: MediaTypes | undefined; theirs: MediaTypes },
) {
  const types = Object.entries(theirs);
  // Next to a PDF the contract lists JSON of any shape, which is never returned.
  const meant = types.length > 1 ? types.filter(([, { schema }]) => !isAnything(schema)) : types;
  return meant.flatMap(([type, { schema }]): readonly SchemaFinding[] => {
    const our = contentOf(ours, type);
    if (!our) return [mismatchAt('', type, Object.keys(ours ?? {}).join(', ') || 'no content')];
    return type.includes('json') ? at.fit(our.schema ?? true, schema ?? true) : [];
  });
}

const isAnything = (schema: AnySchema | undefined) =>
  schema === true || (typeof schema === 'object' && Object.keys(schema).length === 0);

/** A media type without its parameters: `application/json; charset=utf-8` is JSON. */
function contentOf(content: MediaTypes | undefined, type: string) {
  const bare = (name: string) => name.split(';')[0]?.trim().toLowerCase();
  return Object.entries(content ?? {}).find(([name]) => bare(name) === bare(type))?.[1];
}
