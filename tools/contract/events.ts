import { toComparison, type ContractComparison, type UncheckedMismatch } from './compare.ts';
import type { SchemaFinding } from './finding.ts';
import { createFitContext } from './fit.ts';
import { resolveReference, type AnySchema, type OpenApi, type Operation } from './openapi.ts';

/** The part of an AsyncAPI document that describes event bodies. */
export interface AsyncApi {
  readonly components?: {
    readonly messages?: Readonly<Record<string, { readonly payload?: AnySchema }>>;
    readonly [kind: string]: unknown;
  };
}

/** A contract document may declare webhooks in addition to paths. */
export interface OpenApiWithWebhooks extends OpenApi {
  readonly webhooks?: Readonly<Record<string, { readonly post?: Operation }>>;
}

/** Compares the event bodies that the service sends with every event type of the contract. */
export function compareEvents(
  served: AsyncApi,
  contract: readonly OpenApiWithWebhooks[],
): ContractComparison {
  const ours = served.components?.messages ?? {};
  const notServed: string[] = [];
  const found: UncheckedMismatch[] = [];
  let total = 0;
  for (const document of contract) {
    const answer = createFitContext('answer', { served, contract: document });
    for (const { type, body } of listEvents(document)) {
      total += 1;
      const operation = `webhook ${type}`;
      const our = ours[type]?.payload;
      if (our === undefined) notServed.push(operation);
      else found.push(...answer.fit(our, body).map((finding) => toMismatch(operation, finding)));
    }
  }
  return toComparison({ total, notServed, found });
}

/** Places begin with the field of the body: `data.status`. */
const toMismatch = (operation: string, finding: SchemaFinding): UncheckedMismatch => ({
  operation,
  ...finding,
  place: finding.place.replace(/^\./, ''),
});

/** A webhook of the contract stands for every event type that its body allows. */
function listEvents(document: OpenApiWithWebhooks): { type: string; body: AnySchema }[] {
  return Object.entries(document.webhooks ?? {}).flatMap(([name, { post }]) => {
    const body = post?.requestBody && resolveReference(document, post.requestBody);
    const schema = body?.content?.['application/json']?.schema;
    if (typeof schema !== 'object')
      throw new Error(`The contract has no body schema for the webhook ${name}`);
    return eventTypesOf(document, schema).map((type) => ({ type, body: schema }));
  });
}

function eventTypesOf(document: OpenApiWithWebhooks, body: AnySchema): string[] {
  const { properties } = typeof body === 'object' ? resolveReference(document, body) : {};
  const type = properties?.['event_type'];
  if (typeof type !== 'object') return [];
  return [type.const ?? type.enum ?? []].flat().map(String);
}
