import { z } from 'zod';

/**
 * A string whose known values are documented but which may have others: for values that external systems choose. Values
 * of our own are a z.enum, so that a typo does not compile.
 */
export const openEnum = (values: readonly string[]) => z.string().meta({ enum: [...values] });
