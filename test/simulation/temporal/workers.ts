/** What the server calls a worker: its identity, and which of those with this identity it is. */
export function workerOf(identity: string, count: number): string {
  return `${identity}#${count}`;
}

export function identityOf(worker: string): string {
  return worker.slice(0, worker.lastIndexOf('#'));
}
