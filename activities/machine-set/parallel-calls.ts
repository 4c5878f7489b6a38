/**
 * Calls of one step that run at once: as many as keep the API server busy without holding up
 * others.
 */
export const parallelCalls = 16;
