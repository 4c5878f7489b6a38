/** What is said of a create or a delete that goes on in the cloud. */

export interface OperationFacts {
  message: string;
  /** Since when it has been so, milliseconds. */
  since: number;
}

/** What a Machine waits for: `for the cloud: instance i-1 is shutting-down since 14:02 UTC`. */
export function formatOperation({ message, since }: OperationFacts): string {
  const minutes = Math.floor(since / 60_000);
  const time = [Math.floor(minutes / 60) % 24, minutes % 60].map(twoDigits).join(':');
  return `for the cloud: ${message} since ${time} UTC`;
}

function twoDigits(value: number): string {
  return String(value).padStart(2, '0');
}
