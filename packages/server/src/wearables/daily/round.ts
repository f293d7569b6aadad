/**
 * Rounds parts to a number of digits so that they add up to the rounded sum (largest remainder method; ties go to the
 * first part).
 */
export function roundParts(parts: readonly number[], digits: number): number[] {
  const scale = 10 ** digits;
  // Removes floating-point noise from values that are whole numbers.
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
