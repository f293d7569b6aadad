import { describe, expect, it } from 'vitest';
import { validate, version } from 'uuid';
import { newId, newRandomId } from './ids.ts';

const MANY = 20_000;

describe('an id', () => {
  it('is a UUIDv7, unique and increasing', () => {
    const ids = Array.from({ length: MANY }, newId);
    expect(ids.every((id) => validate(id) && version(id) === 7)).toBe(true);
    expect(new Set(ids).size).toBe(MANY);
    expect(ids.toSorted()).toEqual(ids);
  });

  it('does not reveal the next one: its random part is drawn for each', () => {
    // With 44 random bits, two of a thousand collide once in thirty million runs.
    const ends = Array.from({ length: 1000 }, () => newId().slice(-11));
    expect(new Set(ends).size).toBe(1000);
  });

  it('that is random is a UUIDv4', () => {
    expect(version(newRandomId())).toBe(4);
  });
});
