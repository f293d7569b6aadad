/** The id of an event's message: the same for every retry, every webhook endpoint and every broker. */
export const messageId = (eventId: string): string => `msg_${eventId}`;

/** The event of a message id, or undefined if it is invalid. */
export const eventOfMessage = (id: string): string | undefined =>
  /^msg_([0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12})$/.exec(id)?.[1];
