/**
 * Settings of servers that stand in for a cloud: Node.js closes connections that were idle for 5 s,
 * perhaps just when a process on a busy machine uses one again.
 */
export const keptAlive = { keepAliveTimeout: 0 };
