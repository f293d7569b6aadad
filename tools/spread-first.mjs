import { parse } from 'acorn';
import { simple } from 'acorn-walk';

/**
 * Puts `...null` before the first spread in object literals that begin with a spread and have more properties:
 * `{ ...one, more }`. The resulting object is the same, but V8 in Node 20 gives each object of the first form its own
 * hidden class: creating it takes thirty times as long, and inline caches miss on every property read.
 *
 * @param {string} text A JavaScript module.
 * @returns {string} The same module, with the same lines.
 */
export function withoutSpreadFirst(text) {
  /** @type {number[]} */
  const places = [];
  simple(parse(text, { ecmaVersion: 'latest', sourceType: 'module' }), {
    ObjectExpression({ properties: [first, second] }) {
      if (first?.type === 'SpreadElement' && second) places.push(first.start);
    },
  });
  let made = '';
  let done = 0;
  for (const place of places.toSorted((one, other) => one - other)) {
    made += `${text.slice(done, place)}...null, `;
    done = place;
  }
  return made + text.slice(done);
}
