/**
 * Parts rounded to so many digits so that they sum up to their rounded whole: what is left over goes to those that lost
 * most, the first of equals.
 */
export function roundParts(parts: readonly number[], digits: number): number[] {
  const scale = 10 ** digits;
  // What is a whole number but for the last bit of a double is one.
  const scaled = parts.map((part) => Number((part * scale).toFixed(6)));
  const floors = scaled.map(Math.floor);
  const whole = Math.round(scaled.reduce((sum, part) => sum + part, 0));
  const left = whole - floors.reduce((sum, part) => sum + part, 0);
  const byLoss = scaled
    .map((part, index) => ({ index, loss: part - Math.floor(part) }))
    .toSorted((one, other) => other.loss - one.loss || one.index - other.index);
  const raised = new Set(byLoss.slice(0, left).map(({ index }) => index));
  return floors.map((part, index) => (part + (raised.has(index) ? 1 : 0)) / scale);
}
