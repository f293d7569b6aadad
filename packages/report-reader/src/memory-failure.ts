/**
 * Errors of JavaScript, WebAssembly, native modules and the loader of libraries when the system refuses memory. Libraries
 * wrap them, so that only the text is left.
 */
const MEMORY_FAILURE =
  /allocation failed|out of memory|bad_alloc|bad allocation|cannot allocate|failed to allocate|failed to map segment/i;

/**
 * Throws the error again if the system refused memory: that says nothing about the file. Call it before an error is taken
 * for a fault of the file.
 */
export function rethrowMemoryFailure(error: unknown): void {
  if (error instanceof Error && MEMORY_FAILURE.test(`${error.name} ${error.message}`)) throw error;
}
