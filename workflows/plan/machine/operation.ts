/** Report on a create, a drain or a delete that waits. */

export interface OperationFacts {
  message: string;
  /** Default `the cloud`. `a worker`: none has taken the task yet. */
  waitsFor?: 'a worker' | undefined;
  /** Since when it has been so, milliseconds. */
  since: number;
}

/**
 * Text of what a Machine waits for: `for the cloud: instance i-1 is shutting-down since 14:02 UTC`.
 */
export function formatOperation({ message, waitsFor, since }: OperationFacts): string {
  const minutes = Math.floor(since / 60_000);
  const time = [Math.floor(minutes / 60) % 24, minutes % 60].map(twoDigits).join(':');
  return `for ${waitsFor ?? 'the cloud'}: ${message} since ${time} UTC`;
}

function twoDigits(value: number): string {
  return String(value).padStart(2, '0');
}
