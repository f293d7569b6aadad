import { parse } from 'acorn';
import { simple } from 'acorn-walk';

/**
 * Puts `...null` before the first spread of objects that begin with one and hold more: `{ ...one, more }`. It adds
 * nothing, and what is made is the same. But V8 of Node 20 gives each object of the first form a hidden class of its
 * own: it takes thirty times as long to make, and every property that is read of it is looked up anew.
 *
 * @param {string} text A module of JavaScript.
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
