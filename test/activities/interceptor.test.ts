import { fakeClock, type FakeClock } from '../support/fake-clock.ts';
import { inNamespace } from '../support/in-namespace.ts';
import type { Info } from '@temporalio/activity';
import { Context } from '@temporalio/activity';
import { CancelledFailure } from '@temporalio/common';
import { MockActivityEnvironment } from '@temporalio/testing';
import type { ActivityInterceptorsFactory } from '@temporalio/worker';
import { DefaultLogger } from '@temporalio/worker';
import { noActiveWatcher, refused, stopped } from '../../activities/runtime/failures.ts';
import { createActivityInterceptor } from '../../activities/interceptor.ts';
import { reportProgress } from '../../activities/runtime/heartbeat-details.ts';
import { KubeError } from '../../kube/client/errors.ts';

let clock: FakeClock;
beforeEach(() => {
  clock = fakeClock();
});
afterEach(() => {
  clock.uninstall();
});

/** That activities fail is the matter of these tests. */
const logger = new DefaultLogger('ERROR');

interface Form {
  isLocal: boolean;
  interceptor?: ActivityInterceptorsFactory;
}

function activity(
  { isLocal, interceptor = createActivityInterceptor() }: Form,
  info: Partial<Info> = {},
) {
  return new MockActivityEnvironment({ isLocal, ...info }, { interceptors: [interceptor], logger });
}

function kubeError(code: number, reason: string, retryAfterMs?: number): KubeError {
  return new KubeError({
    code,
    reason,
    message: 'words',
    method: 'GET',
    path: '/api',
    retryAfterMs,
  });
}

type Step = () => Promise<unknown>;

function failing(error: unknown): Step {
  return async () => {
    throw error;
  };
}

describe('heartbeats', () => {
  test.each([
    [30_000, 15_000, 10_000],
    [4_000, 2_000, 1_333],
    [2_000, 1_000, 1_000],
  ])('in a timeout of %i ms come after %i ms, then each %i ms', async (timeout, first, next) => {
    const environment = activity({ isLocal: false }, { heartbeatTimeoutMs: timeout });
    let beats = 0;
    environment.on('heartbeat', () => (beats += 1));
    await environment.run(async () => {
      await clock.tickAsync(first - 1);
      expect(beats).toBe(0);
      await clock.tickAsync(2 * next + 2);
    });
    expect(beats).toBe(3);
  });

  test('go on with the progress that was reported last, until the activity ends', async () => {
    const environment = activity({ isLocal: false });
    const beats: unknown[] = [];
    environment.on('heartbeat', (details) => beats.push(details));
    const ran = environment.run(async () => {
      await clock.tickAsync(1_000);
      reportProgress(Context.current(), ['a']);
      await clock.tickAsync(2_500);
      reportProgress(Context.current(), ['a', 'b']);
      await clock.tickAsync(500);
      return 'done';
    });
    await expect(ran).resolves.toBe('done');
    expect(beats).toEqual([undefined, ['a'], ['a'], ['a'], ['a', 'b'], ['a', 'b']]);
    await clock.tickAsync(5_000);
    expect(beats).toHaveLength(6);
  });

  test('repeat what the attempt before left, until this one reports something', async () => {
    const heartbeatDetails = ['a'];
    const environment = activity({ isLocal: false }, { heartbeatDetails });
    const beats: unknown[] = [];
    environment.on('heartbeat', (details) => beats.push(details));
    await environment.run(async () => {
      await clock.tickAsync(2_500);
      reportProgress(Context.current(), ['a', 'b']);
      await clock.tickAsync(500);
    });
    expect(beats).toEqual([['a'], ['a'], ['a', 'b'], ['a', 'b']]);
  });

  test('end with a failure too', async () => {
    const environment = activity({ isLocal: false });
    await expect(environment.run(failing(new Error('bug')))).rejects.toThrow('bug');
    expect(clock.countTimers()).toBe(0);
  });

  test('are not sent by a local activity', async () => {
    const environment = activity({ isLocal: true });
    await environment.run(async () => {
      expect(clock.countTimers()).toBe(0);
    });
  });
});

/** One worker process: all its activities share the breaker. */
function aProcess() {
  const interceptor = createActivityInterceptor();
  return {
    local: (run: Step) => activity({ isLocal: true, interceptor }).run(run),
    regular: (run: Step) => activity({ isLocal: false, interceptor }).run(run),
  };
}

const step = async (): Promise<string> => 'ran';

describe('the breaker', () => {
  const unanswered = failing(kubeError(0, 'Unreachable'));
  const unreachable = { type: 'ApiServerUnreachable' };

  test('refuses local activities for two seconds after an unanswered call', async () => {
    const { local, regular } = aProcess();
    await expect(local(unanswered)).rejects.toMatchObject(unreachable);
    await clock.tickAsync(1_999);
    const untried = jest.fn(step);
    await expect(local(untried)).rejects.toMatchObject({ ...unreachable, nonRetryable: true });
    expect(untried).not.toHaveBeenCalled();
    // The regular form waits outside of workflow tasks.
    await expect(regular(step)).resolves.toBe('ran');
    await clock.tickAsync(1);
    await expect(local(step)).resolves.toBe('ran');
  });

  test('is one for each namespace: another one has another target cluster', async () => {
    const interceptor = createActivityInterceptor();
    const run = (namespace: string, act: Step) => {
      const interceptors = [inNamespace(namespace), interceptor];
      return new MockActivityEnvironment({ isLocal: true }, { interceptors, logger }).run(act);
    };
    await expect(run('dark', unanswered)).rejects.toMatchObject(unreachable);
    await expect(run('light', step)).resolves.toBe('ran');
    await expect(run('dark', step)).rejects.toMatchObject(unreachable);
  });

  test('one that is refused lengthens nothing', async () => {
    const { local } = aProcess();
    await expect(local(unanswered)).rejects.toMatchObject(unreachable);
    await clock.tickAsync(1_500);
    await expect(local(step)).rejects.toMatchObject(unreachable);
    await clock.tickAsync(500);
    await expect(local(step)).resolves.toBe('ran');
  });

  test.each([
    { name: 'an answer that the API gave', error: kubeError(409, 'Conflict') },
    { name: 'a bug', error: new Error('bug') },
  ])('stays closed after $name', async ({ error }) => {
    const { local } = aProcess();
    await expect(local(failing(error))).rejects.toBeDefined();
    await expect(local(step)).resolves.toBe('ran');
  });
});

describe.each([{ isLocal: true }, { isLocal: false }])('failures, isLocal $isLocal', (form) => {
  test('an answer of the API is named by its reason, retried when the server asked for it', async () => {
    const error = kubeError(429, 'Throttled', 3_000);
    await expect(activity(form).run(failing(error))).rejects.toMatchObject({
      name: 'ApplicationFailure',
      type: 'KubernetesThrottled',
      message: error.message,
      nextRetryDelay: 3_000,
      nonRetryable: false,
      stack: '',
    });
  });

  test.each([0, 502, 503, 504])('%i is an API server out of reach', async (code) => {
    await expect(activity(form).run(failing(kubeError(code, 'X')))).rejects.toMatchObject({
      type: 'ApiServerUnreachable',
    });
  });

  test.each([
    { name: 'a failure of ours', error: refused(kubeError(403, 'Forbidden')) },
    { name: 'a cancellation', error: new CancelledFailure('stop') },
    { name: 'a bug', error: new Error('bug') },
  ])('$name stays as it is', async ({ error }) => {
    await expect(activity(form).run(failing(error))).rejects.toBe(error);
  });

  test.each([
    noActiveWatcher({ namespace: 'shoot', name: 'millwright' }),
    stopped('stopped by ConfigMap'),
  ])('what has to wait waits in the regular form alone', async (error) => {
    const { type, message } = error;
    const nonRetryable = form.isLocal ?? false;
    const expected = expect.objectContaining({ type, message, nonRetryable });
    await expect(activity(form).run(failing(error))).rejects.toEqual(expected);
  });

  test('what is no error becomes one', async () => {
    await expect(activity(form).run(failing('words'))).rejects.toThrow('words');
  });
});
