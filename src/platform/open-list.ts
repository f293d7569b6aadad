import { z } from 'zod';

/**
 * A text whose known values are listed in the documents, and which may have others: for words that outside systems
 * choose. What we choose ourselves is a z.enum, so that a slip does not compile.
 */
export const openList = (values: readonly string[]) => z.string().meta({ enum: [...values] });
