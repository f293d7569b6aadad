import type { Document, Schemas, Shape } from './document.ts';
import { anchor, html, nothing, prose, type Html } from './html.ts';
import { nameOf } from './resolve.ts';
import { about, tree } from './schema-tree.ts';

/** Every named schema once, one level deep: the place that deeper trees and recursive ones link to. */
export function schemaSections(document: Document): Html {
  const { schemas } = document.components;
  const answered = answeredSchemas(document);
  return html`${Object.entries(schemas).map(([name, shape]) =>
    schemaSection(schemas, name, { shape, marks: answered.has(name) ? 'optional' : 'required' }),
  )}`;
}

interface Shown {
  readonly shape: Shape;
  readonly marks: 'required' | 'optional';
}

function schemaSection(schemas: Schemas, name: string, { shape, marks }: Shown): Html {
  const id = anchor(name, 'schema-');
  const inside = tree({ schemas, trail: [name], depth: 1, marks }, shape);
  const { description, ...rest } = shape;
  return html`<article class="schema" id="${id}" aria-labelledby="${id}-title">
    <h3 id="${id}-title">
      <code>${name}</code><a class="here" href="#${id}" aria-label="Link to ${name}">#</a>
    </h3>
    ${prose(description)}
    ${inside === nothing || shape.properties === undefined ? html`<div class="whole">${about(schemas, rest)}</div>` : nothing}
    ${inside}
  </article> `;
}

/** The schemas that stand in an answer, near or far. */
function answeredSchemas({ paths, components }: Document): ReadonlySet<string> {
  const found = new Set<string>();
  const open = Object.values(paths).flatMap((item) =>
    Object.values(item).flatMap(({ responses }) => references(responses)),
  );
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    if (found.has(name)) continue;
    found.add(name);
    open.push(...references(components.schemas[name]));
  }
  return found;
}

function references(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    key === '$ref' && typeof inner === 'string' ? [nameOf(inner)] : references(inner),
  );
}
