/** A promise with its two ends, for where the outcome comes from elsewhere. */
export interface Deferred<T> {
  promise: Promise<T>;
  resolve: (value: T | PromiseLike<T>) => void;
  reject: (error: Error) => void;
}

/** Never called: the promise hands out its real ends before its constructor returns. */
function notYet(): void {
  throw new Error('The promise has no ends yet');
}

export function deferred<T>(): Deferred<T> {
  let resolve: Deferred<T>['resolve'] = notYet;
  let reject: Deferred<T>['reject'] = notYet;
  const promise = new Promise<T>((onResolve, onReject) => {
    resolve = onResolve;
    reject = onReject;
  });
  return { promise, resolve, reject };
}
