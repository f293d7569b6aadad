import type { Schemas, Shape } from './document.ts';
import { facts, kind, value, values } from './facts.ts';
import { html, inline, nothing, type Html } from './html.ts';
import { resolve, valuesOf } from './resolve.ts';

/** Where a tree stands: what it may look up, and how far it is open. */
export interface Place {
  readonly schemas: Schemas;
  /** The named schemas that this branch is inside of. */
  readonly trail: readonly string[];
  /** Named schemas are open this deep; deeper ones are links to their own section. */
  readonly depth: number;
  /** What callers send marks what they must give; what they get marks what may be missing. */
  readonly marks: 'required' | 'optional';
}

interface Branch {
  readonly title: Html;
  readonly mark: Html;
  readonly shape: Shape;
}

/** The properties of a shape as a list of lists; nothing where it has none or stands too deep. */
export function tree(place: Place, shape: Shape): Html {
  const { inner, branches } = branchesOf(place, shape);
  if (branches.length === 0) return nothing;
  return html`<ul class="tree">
    ${branches.map((branch) => row(inner, branch))}
  </ul>`;
}

function branchesOf(place: Place, given: Shape): { inner: Place; branches: readonly Branch[] } {
  const { shape, name, options } = resolve(place.schemas, given);
  const closed = name !== undefined && (place.trail.includes(name) || place.trail.length >= place.depth);
  if (closed) return { inner: place, branches: [] };
  const inner = name === undefined ? place : { ...place, trail: [...place.trail, name] };
  if (options.length > 0) return { inner, branches: alternatives(inner, options) };
  if (shape.properties) return { inner, branches: properties(shape, place.marks) };
  const within = shape.items ?? valuesOf(shape);
  return within ? branchesOf(inner, within) : { inner, branches: [] };
}

const properties = (shape: Shape, marks: Place['marks']): readonly Branch[] => {
  const required = new Set(shape.required);
  const mark = marks === 'required' ? html` <b class="required">required</b>` : html` <i>may be missing</i>`;
  return Object.entries(shape.properties ?? {}).map(([name, part]) => ({
    title: html`<code class="name">${name}</code>`,
    mark: required.has(name) === (marks === 'required') ? mark : nothing,
    shape: part,
  }));
};

/** The ways a value may look; none where all of them are plain, for then its kind has said so. */
function alternatives(place: Place, options: readonly Shape[]): readonly Branch[] {
  const structured = options.some((option) => branchesOf(place, option).branches.length > 0);
  if (!structured) return [];
  return options.map((shape, at) => ({
    title: html`<span class="either">${at === 0 ? 'either' : 'or'}</span>`,
    mark: nothing,
    shape,
  }));
}

function row(place: Place, { title, mark, shape }: Branch): Html {
  const inside = tree(place, shape);
  const line = html`${title} ${about(place.schemas, shape, mark)}`;
  if (inside === nothing) return html`<li>${line}</li> `;
  const named = resolve(place.schemas, shape).name === undefined ? '' : 'named';
  return html`<li>
    <details class="${named}">
      <summary>${line}</summary>
      ${inside}
    </details>
  </li> `;
}

/** Kind, bounds, meaning and values of a shape, for one row of a tree or a table. */
export function about(schemas: Schemas, shape: Shape, mark: Html = nothing): Html {
  const seen = resolve(schemas, shape).shape;
  const all = facts(schemas, shape);
  return html`<span class="kind">${kind(schemas, shape)}</span>${mark}${
      seen.deprecated ? html` <i class="deprecated">deprecated</i>` : nothing
    }${all.map((fact) => html` <span class="fact">· ${fact}</span>`)}${
      seen.description ? html`<span class="meaning">${inline(seen.description)}</span>` : nothing
    }${valueList(values(schemas, shape))}`;
}

const valueList = (all: readonly unknown[]): Html =>
  all.length === 0 ? nothing : html`<span class="values">${all.map((one) => html`${value(one)} `)}</span>`;
