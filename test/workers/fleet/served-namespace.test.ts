import type { Attempt } from '../../../workers/fleet/served-namespace.ts';
import { ServedNamespace } from '../../../workers/fleet/served-namespace.ts';
import type { TargetSecrets } from '../../../workers/fleet/target-secrets.ts';
import { eventually } from '../../support/eventually.ts';
import { logLines } from '../log/log-lines.ts';

const open: ServedNamespace[] = [];
afterEach(async () => {
  for (const served of open.splice(0)) await served.retire();
});

interface Options {
  serve(attempt: Attempt): Promise<void>;
  watchSecrets?: (onChange: () => void) => TargetSecrets;
  waitMs?: { first: number; max: number };
  stopping?: AbortSignal;
}

function begin({ serve, watchSecrets, waitMs = { first: 1, max: 2 }, stopping }: Options) {
  const reasons: (string | undefined)[] = [];
  const served = new ServedNamespace({
    namespace: 'shoot',
    serve,
    watchSecrets,
    waitMs,
    stopping: stopping ?? new AbortController().signal,
    log: logLines().log,
    onReason: (reason) => void reasons.push(reason),
    isFinal: (error) => error instanceof RangeError,
  });
  open.push(served);
  return { served, reasons };
}

test('what fails is tried again, and what it had opened is closed in reverse order', async () => {
  const closed: string[] = [];
  let attempts = 0;
  const { served, reasons } = begin({
    async serve({ scope }) {
      attempts += 1;
      const attempt = attempts;
      scope.add('one', () => void closed.push(`one ${attempt}`));
      scope.add('two', () => void closed.push(`two ${attempt}`));
      if (attempt < 3) throw new Error(`no answer ${attempt}`);
    },
  });
  await served.served;
  expect(reasons).toEqual(['no answer 1', 'no answer 2', undefined]);
  expect(closed).toEqual(['two 1', 'one 1', 'two 2', 'one 2']);
  await served.retire();
  expect(closed.slice(4)).toEqual(['two 3', 'one 3']);
  expect(attempts).toBe(3);
});

test('it is settled with the first failure, and served later', async () => {
  const gate = Promise.withResolvers<void>();
  let attempts = 0;
  const { served } = begin({
    async serve() {
      attempts += 1;
      if (attempts === 1) throw new Error('no');
      await gate.promise;
    },
  });
  await served.settled;
  expect(served.reason).toBe('no');
  gate.resolve();
  await served.served;
  expect(served.reason).toBeUndefined();
});

test('what is reported during an attempt settles it as well', async () => {
  const { served } = begin({
    async serve({ report, signal }) {
      report('the Lease cannot be read');
      await new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason), { once: true });
      });
    },
  });
  await served.settled;
  expect(served.reason).toBe('the Lease cannot be read');
});

test('an error that is final ends it', async () => {
  const { served } = begin({
    async serve() {
      throw new RangeError('claimed by another');
    },
  });
  await expect(served.ended).rejects.toThrow('claimed by another');
});

test('an attempt that waits ends with the process, and none follows', async () => {
  const process = new AbortController();
  let attempts = 0;
  const { served, reasons } = begin({
    stopping: process.signal,
    async serve({ signal }) {
      attempts += 1;
      process.abort(new Error('over'));
      signal.throwIfAborted();
    },
  });
  await served.ended;
  expect({ attempts, reasons }).toEqual({ attempts: 1, reasons: [] });
});

/** Secrets whose content a test changes. */
function secrets() {
  let fault: string | undefined = 'Secret shoot/target does not exist';
  let change: (() => void) | undefined;
  const kubeConfig = {
    cluster: { name: 'c', server: 'https://one', skipTLSVerify: false },
    user: { name: 'u' },
    namespace: undefined,
    source: 'test',
  };
  return {
    watch: (onChange: () => void): TargetSecrets => {
      change = onChange;
      return {
        async access() {
          if (fault !== undefined) throw new Error(fault);
          return { kubeConfig };
        },
        whyStale: () => fault,
        close: async () => undefined,
      };
    },
    become(next: string | undefined) {
      fault = next;
      change?.();
    },
  };
}

test('a Secret that comes, or goes, counts at once and not after the wait', async () => {
  const { watch, become } = secrets();
  const hourMs = 3_600_000;
  const { served } = begin({
    serve: async () => undefined,
    watchSecrets: watch,
    waitMs: { first: hourMs, max: hourMs },
  });
  await served.settled;
  expect(served.reason).toBe('Secret shoot/target does not exist');
  become(undefined);
  await served.served;
  become('Secret shoot/target has no key "kubeconfig"');
  await eventually('it says so', async () => served.reason?.includes('has no key') === true);
  become(undefined);
  await eventually('it is served again', async () => served.reason === undefined);
});
