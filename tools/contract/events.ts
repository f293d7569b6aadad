import { comparisonOf, type Comparison, type Found } from './compare.ts';
import type { Finding } from './finding.ts';
import { sides } from './fit.ts';
import { resolve, type AnySchema, type OpenApi, type Operation } from './openapi.ts';

/** The part of an AsyncAPI document that says what the bodies of events look like. */
export interface AsyncApi {
  readonly components?: {
    readonly messages?: Readonly<Record<string, { readonly payload?: AnySchema }>>;
    readonly [kind: string]: unknown;
  };
}

/** A document of the contract may say, beside its paths, what it sends. */
export interface WithWebhooks extends OpenApi {
  readonly webhooks?: Readonly<Record<string, { readonly post?: Operation }>>;
}

/** Compares the bodies of the events that we send with every event type of the contract. */
export function compareEvents(served: AsyncApi, contract: readonly WithWebhooks[]): Comparison {
  const ours = served.components?.messages ?? {};
  const notServed: string[] = [];
  const found: Found[] = [];
  let total = 0;
  for (const document of contract) {
    const answer = sides('answer', { served, contract: document });
    for (const { type, body } of eventsOf(document)) {
      total += 1;
      const operation = `webhook ${type}`;
      const our = ours[type]?.payload;
      if (our === undefined) notServed.push(operation);
      else found.push(...answer.fit(our, body).map((finding) => named(operation, finding)));
    }
  }
  return comparisonOf({ total, notServed, found });
}

/** Places begin with the field of the body: `data.status`. */
const named = (operation: string, finding: Finding): Found => ({
  operation,
  ...finding,
  place: finding.place.replace(/^\./, ''),
});

/** One webhook of the contract stands for every event type that its body may name. */
function eventsOf(document: WithWebhooks): { type: string; body: AnySchema }[] {
  return Object.entries(document.webhooks ?? {}).flatMap(([name, { post }]) => {
    const body = post?.requestBody && resolve(document, post.requestBody);
    const schema = body?.content?.['application/json']?.schema;
    if (typeof schema !== 'object') throw new Error(`The contract does not say what ${name} sends`);
    return typesOf(document, schema).map((type) => ({ type, body: schema }));
  });
}

function typesOf(document: WithWebhooks, body: AnySchema): string[] {
  const { properties } = typeof body === 'object' ? resolve(document, body) : {};
  const type = properties?.['event_type'];
  if (typeof type !== 'object') return [];
  return [type.const ?? type.enum ?? []].flat().map(String);
}
