const SHORT = 8;

/**
 * An id where there is little room: its end, because the beginning is a time and the same for everything that was made
 * within minutes.
 */
export const shortId = (id: string): string => (id.length > SHORT + 4 ? `…${id.slice(-SHORT)}` : id);
